package org.torchnnapi.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class ClassScoresTest {
    @Test
    void theHighestComeFirst() {
        ClassScores scores = new ClassScores(Tensor.of(new float[] {1, 4, 4, Float.NaN, 5, 6, 7, 8}, 2, 4))
                .withLabels(List.of("cat", "dog"));
        assertEquals(
                List.of(new ScoredClass(1, "dog", 4), new ScoredClass(2, "", 4), new ScoredClass(0, "cat", 1)),
                scores.top(0, 3));
        assertEquals(3, scores.top(1, 1).get(0).number());
        assertEquals(4, scores.top(1, 9).size());
        assertEquals(3, scores.top(0, 4).get(3).number(), "not a number");
    }

    @Test
    void quantizedScoresAreTheNumbersThatTheyStandFor() {
        Tensor scores = Tensor.of(DType.QUINT8, new byte[] {10, (byte) 200}, 2)
                .withQuantization(new Quantization.PerTensor(0.5, 100));
        assertEquals(List.of(new ScoredClass(1, "", 50)), new ClassScores(scores).top(0, 1));
    }

    @Test
    void whatIsNoRowOfScoresIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new ClassScores(Tensor.of(new float[8], 2, 2, 2)));
        assertThrows(IllegalArgumentException.class, () -> new ClassScores(Tensor.of(new float[0], 1, 0)));
        ClassScores scores = new ClassScores(Tensor.of(new float[3], 3));
        assertEquals(
                "picture: 1 (expected: 0 to 0)",
                assertThrows(IllegalArgumentException.class, () -> scores.top(1, 1))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> scores.top(0, 0));
    }
}
