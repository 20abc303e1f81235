package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class RankTest {
    @Test
    void countsAxes() {
        of(OperationType.RANK)
                .floats(shape(1, 2, 3), 0, 0, 0, 0, 0, 0)
                .expectScalar(3)
                .needs(V1_3)
                .run();
    }

    @Test
    void ofTruthValues() {
        of(OperationType.RANK).bools(shape(2), 0, 1).expectScalar(1).run();
    }
}
