package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ChannelShuffleTest {
    @Test
    void shuffles() {
        of(OperationType.CHANNEL_SHUFFLE)
                .floats(shape(1, 6), 1, 2, 3, 4, 5, 6)
                .scalars(2, -1)
                .expectFloats(shape(1, 6), 1, 4, 2, 5, 3, 6)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsGroupsThatDoNotDivide() {
        of(OperationType.CHANNEL_SHUFFLE)
                .floats(shape(3), 1, 2, 3)
                .scalars(2, 0)
                .expectFloats(shape(3), 1, 2, 3)
                .illegal("size of axis 0: 3");
    }
}
