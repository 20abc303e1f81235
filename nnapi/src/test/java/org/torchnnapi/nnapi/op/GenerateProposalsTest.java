package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class GenerateProposalsTest {
    private static OperationTester proposals(float minSize) {
        // One anchor of 4 by 4 at two positions 2 apart; they overlap by 1/3.
        return of(OperationType.GENERATE_PROPOSALS)
                .floats(shape(1, 1, 2, 1), 0.6f, 0.9f)
                .floats(shape(1, 1, 2, 4), 0, 0, 0, 0, 0, 0, 0, 0)
                .floats(shape(1, 4), 0, 0, 4, 4)
                .floats(shape(1, 2), 32, 32)
                .scalar(2f)
                .scalar(2f)
                .scalar(-1)
                .scalar(-1)
                .scalar(0.5f)
                .scalar(minSize)
                .scalar(false);
    }

    @Test
    void movesTheAnchorsAndSortsByScore() {
        proposals(1)
                .expectFloats(shape(2), 0.9f, 0.6f)
                .expectFloats(shape(2, 4), 2, 0, 6, 4, 0, 0, 4, 4)
                .expectInts(shape(2), 0, 0)
                .run();
    }

    @Test
    void dropsWhatIsTooSmall() {
        proposals(4)
                .expectFloats(shape(0))
                .expectFloats(shape(0, 4))
                .expectInts(shape(0))
                .run();
    }
}
