package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class TileTest {
    @Test
    void repeats() {
        of(OperationType.TILE)
                .floats(shape(1, 2), 1, 2)
                .ints(shape(2), 2, 2)
                .expectFloats(shape(2, 4), 1, 2, 1, 2, 1, 2, 1, 2)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsAMultipleMissing() {
        of(OperationType.TILE)
                .floats(shape(1, 2), 1, 2)
                .ints(shape(1), 2)
                .expectFloats(shape(2, 2), 1, 2, 1, 2)
                .illegal("shape of input 1 (multiples): [1] (expected: [2])");
    }
}
