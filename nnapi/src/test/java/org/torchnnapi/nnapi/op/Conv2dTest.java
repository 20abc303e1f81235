package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperationType;

class Conv2dTest {
    @Test
    void implicit() {
        of(OperationType.CONV_2D)
                .floats(shape(1, 2, 2, 1), 1, 2, 3, 4)
                .floats(shape(1, 2, 2, 1), 1, 10, 100, 1000)
                .floats(shape(1), 0.5f)
                .scalars(2, 1, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 4321.5f)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void samePaddingPutsTheOddZeroAtTheTail() {
        of(OperationType.CONV_2D)
                .floats(shape(1, 1, 2, 1), 1, 2)
                .floats(shape(1, 1, 2, 1), 10, 1)
                .floats(shape(1), 0)
                .scalars(1, 1, 1, 0)
                .expectFloats(shape(1, 1, 2, 1), 12, 20)
                .runFloats();
    }

    @Test
    void explicitNchwDilated() {
        of(OperationType.CONV_2D)
                .floats(shape(1, 1, 1, 3), 1, 2, 3)
                .floats(shape(1, 1, 2, 1), 10, 1)
                .floats(shape(1), 0)
                .scalars(0, 0, 0, 0, 1, 1, 0)
                .scalar(true)
                .scalars(2, 1)
                .expectFloats(shape(1, 1, 1, 1), 13)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void perChannel() {
        of(OperationType.CONV_2D)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 0, shape(1, 1, 1, 1), 10)
                .perChannel(new ChannelQuantization(0, new float[] {0.5f, 2}), shape(2, 1, 1, 1), 4, 4)
                .bias(0, 0, 1)
                .scalars(2, 1, 1, 0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(1, 1, 1, 2), 10, 41)
                .needs(V1_2)
                .run();
    }

    @Test
    void rejectsAnotherDepth() {
        of(OperationType.CONV_2D)
                .floats(shape(1, 1, 1, 2), 1, 2)
                .floats(shape(1, 1, 1, 1), 1)
                .floats(shape(1), 0)
                .scalars(2, 1, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 0)
                .illegal("filter depth: 1");
    }

    @Test
    void rejectsRank3() {
        of(OperationType.CONV_2D)
                .floats(shape(1, 1, 1), 1)
                .floats(shape(1, 1, 1, 1), 1)
                .floats(shape(1), 0)
                .scalars(2, 1, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 0)
                .illegal("rank of input 0 (input): 3 (expected: 4)");
    }
}
