package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperationType;

class DepthwiseConv2dTest {
    @Test
    void multiplier() {
        of(OperationType.DEPTHWISE_CONV_2D)
                .floats(shape(1, 1, 1, 2), 2, 3)
                .floats(shape(1, 1, 1, 4), 1, 10, 100, 1000)
                .floats(shape(4), 0, 0, 0, 1)
                .scalars(2, 1, 1, 2, 0)
                .expectFloats(shape(1, 1, 1, 4), 2, 20, 300, 3001)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void explicitDilated() {
        of(OperationType.DEPTHWISE_CONV_2D)
                .floats(shape(1, 1, 3, 1), 1, 2, 3)
                .floats(shape(1, 1, 2, 1), 10, 1)
                .floats(shape(1), 0)
                .scalars(0, 0, 0, 0, 1, 1, 1, 0)
                .scalar(false)
                .scalars(2, 1)
                .expectFloats(shape(1, 1, 1, 1), 13)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void nchw() {
        of(OperationType.DEPTHWISE_CONV_2D)
                .floats(shape(1, 2, 1, 1), 2, 3)
                .floats(shape(1, 1, 1, 2), 1, 10)
                .floats(shape(2), 0, 0)
                .scalars(2, 1, 1, 1, 0)
                .scalar(true)
                .expectFloats(shape(1, 2, 1, 1), 2, 30)
                .runFloats();
    }

    @Test
    void perChannel() {
        of(OperationType.DEPTHWISE_CONV_2D)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 0, shape(1, 1, 1, 2), 10, 10)
                .perChannel(new ChannelQuantization(3, new float[] {0.5f, 2}), shape(1, 1, 1, 2), 4, 4)
                .bias(0, 0, 1)
                .scalars(2, 1, 1, 1, 0)
                .expectQuantized(TENSOR_QUANT8_ASYMM_SIGNED, 1, 0, shape(1, 1, 1, 2), 10, 41)
                .needs(V1_3)
                .run();
    }

    @Test
    void rejectsAFilterOfTwo() {
        of(OperationType.DEPTHWISE_CONV_2D)
                .floats(shape(1, 1, 1, 1), 1)
                .floats(shape(2, 1, 1, 1), 1, 1)
                .floats(shape(1), 0)
                .scalars(2, 1, 1, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 0)
                .illegal("first filter dimension: 2 (expected: 1)");
    }

    @Test
    void rejectsScalesAlongAnotherAxis() {
        of(OperationType.DEPTHWISE_CONV_2D)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 0, shape(1, 1, 1, 1), 1)
                .perChannel(new ChannelQuantization(0, new float[] {0.5f}), shape(1, 1, 1, 1), 4)
                .bias(0, 0)
                .scalars(2, 1, 1, 1, 0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(1, 1, 1, 1), 1)
                .illegal("filter channelDim: 0 (expected: 3)");
    }
}
