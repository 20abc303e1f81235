package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class BoxWithNmsLimitTest {
    private static OperationTester boxes(int kernel) {
        // Two boxes that overlap by more than half, one apart; class 0 is the background.
        return of(OperationType.BOX_WITH_NMS_LIMIT)
                .floats(shape(3, 2), 0, 0.9f, 0, 0.8f, 0, 0.7f)
                .floats(shape(3, 8), 0, 0, 0, 0, 0, 0, 10, 10, 0, 0, 0, 0, 0, 0, 10, 9, 0, 0, 0, 0, 20, 20, 30, 30)
                .ints(shape(3), 0, 0, 0)
                .scalar(0.1f)
                .scalar(-1)
                .scalar(kernel)
                .scalar(0.5f)
                .scalar(1f)
                .scalar(0.1f);
    }

    @Test
    void dropsWhatOverlapsABetterBox() {
        boxes(0).expectFloats(shape(2), 0.9f, 0.7f)
                .expectFloats(shape(2, 4), 0, 0, 10, 10, 20, 20, 30, 30)
                .expectInts(shape(2), 1, 1)
                .expectInts(shape(2), 0, 0)
                .run();
    }

    @Test
    void lowersTheScoreByTheOverlap() {
        // The overlap is 0.9, so the score falls to 0.8 * 0.1, below the threshold of 0.1.
        boxes(1).expectFloats(shape(2), 0.9f, 0.7f)
                .expectFloats(shape(2, 4), 0, 0, 10, 10, 20, 20, 30, 30)
                .expectInts(shape(2), 1, 1)
                .expectInts(shape(2), 0, 0)
                .run();
    }

    @Test
    void lowersTheScoreByAGaussian() {
        float decayed = 0.8f * (float) Math.exp(-0.9 * 0.9);
        boxes(2).expectFloats(shape(3), 0.9f, 0.7f, decayed)
                .expectFloats(shape(3, 4), 0, 0, 10, 10, 20, 20, 30, 30, 0, 0, 10, 9)
                .expectInts(shape(3), 1, 1, 1)
                .expectInts(shape(3), 0, 0, 0)
                .run();
    }

    @Test
    void refusesAnUnknownKernel() {
        boxes(3).expectFloats(shape(2), 0.9f, 0.7f)
                .expectFloats(shape(2, 4), 0, 0, 10, 10, 20, 20, 30, 30)
                .expectInts(shape(2), 1, 1)
                .expectInts(shape(2), 0, 0)
                .illegal("3 (expected: 0");
    }
}
