package org.torchnnapi.converter.check;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class VariedInputsTest {
    private static final Tensor X = Tensor.of(new float[] {1, -2, 3}, 3);

    @Test
    void theFirstCallHasTheGivenOnes() {
        List<?> inputs = List.of(X, 2L);
        assertSame(inputs, VariedInputs.of(inputs, 0, true));
    }

    @Test
    void realNumbersPassLimitsChangeSignsAndAreZero() {
        assertArrayEquals(new float[] {9, 0, 3}, made(1, X).toFloatArray());
        assertArrayEquals(new float[] {-1.5f, -0.5f, -0f}, made(2, X).toFloatArray());
        assertArrayEquals(new float[] {1, -2, 3}, X.toFloatArray());
    }

    @Test
    void numbersThatWouldOverflowOrVanishStay() {
        float[] numbers = {1e19f, Float.MIN_NORMAL, 3e38f, Float.NEGATIVE_INFINITY, 1, 1};
        Tensor extreme = Tensor.of(numbers, 6);
        assertArrayEquals(
                new float[] {3, 0, Float.NEGATIVE_INFINITY, 3e38f, 3 * Float.MIN_NORMAL, 1e19f},
                made(1, extreme).toFloatArray());
        assertEquals(Float.MIN_NORMAL, made(5, extreme).toFloatArray()[4]);
    }

    @Test
    void aNumberThatNnapiHasNoWordOnIsFound() {
        for (float extreme : new float[] {Float.NaN, Float.POSITIVE_INFINITY, 1e-41f, -2e19f}) {
            assertEquals(extreme, VariedInputs.extreme(List.of(2L, X, Tensor.of(new float[] {extreme}, 1))));
        }
        Tensor half = Elements.cast(Tensor.of(new float[] {1, Float.NEGATIVE_INFINITY}, 2), DType.FLOAT16);
        assertEquals(Float.NEGATIVE_INFINITY, VariedInputs.extreme(List.of(half)));
        assertNull(VariedInputs.extreme(List.of(X, Tensor.of(new float[] {0, -0f, 1e19f, 1e-37f}, 4))));
    }

    @Test
    void wholeNumbersChangePlacesAlone() {
        Tensor ids = Tensor.of(new long[] {4, 5, 6}, 1, 3);
        assertArrayEquals(new long[] {6, 5, 4}, made(1, ids).toLongArray());
        assertArrayEquals(new long[] {6, 4, 5}, made(2, ids).toLongArray());
        assertEquals(2L, VariedInputs.of(List.of(2L), 1, true).get(0));
    }

    @Test
    void quantizedModelsNumbersStayInTheirRange() {
        Tensor made = (Tensor) VariedInputs.of(List.of(X), 1, false).get(0);
        assertArrayEquals(new float[] {3, -2, 1}, made.toFloatArray());
    }

    @Test
    void specialInputsHaveOrdinaryNumbersBetween() {
        Tensor ids = Tensor.of(new long[] {4, 5, 6}, 3);
        float[] numbers = new float[9];
        Arrays.fill(numbers, 2);
        List<?> made = VariedInputs.special(List.of(Tensor.of(numbers, 3, 3), ids));
        float infinity = Float.POSITIVE_INFINITY;
        assertArrayEquals(
                new float[] {Float.NaN, 2, 2, infinity, 2, 2, -0f, 2, 2}, ((Tensor) made.get(0)).toFloatArray());
        assertArrayEquals(ids.toLongArray(), ((Tensor) made.get(1)).toLongArray());
        assertEquals(2, numbers[0]);
        assertNull(VariedInputs.special(List.of(ids, 2L)));
    }

    private static Tensor made(int call, Tensor tensor) {
        return (Tensor) VariedInputs.of(List.of(tensor), call, true).get(0);
    }
}
