package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class CompatQuantizedConvolutionLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    private static CustomObject packed(Quantization quantization, short... configuration) {
        Tensor weight =
                Tensor.of(DType.QINT8, new byte[] {-128, 0, 5, 127}, 2, 2, 1, 1).withQuantization(quantization);
        Tensor bias = Tensor.of(new float[] {1f, -0.3f}, 2);
        Tensor numbers = Tensor.of(DType.INT16, configuration, configuration.length);
        return GraphUnderTest.packed(
                "Conv2dPackedParamsBase",
                ScriptTuple.of(
                        "2",
                        new ScriptList(Type.Basic.TENSOR, Arrays.asList(numbers, weight)),
                        new ScriptList(Type.Basic.TENSOR, Arrays.asList(bias))));
    }

    private static CustomObject plain() {
        return packed(
                new Quantization.PerTensor(0.25, -2),
                (short) 2,
                (short) 1,
                (short) 1,
                (short) 0,
                (short) 0,
                (short) 1,
                (short) 1,
                (short) 0,
                (short) 0,
                (short) 1,
                (short) 0);
    }

    @Test
    void signedWeightsBecomeUnsignedAndTheBiasIntegers() {
        LoweredModel model = g.model(g.op(
                "quantized::conv2d_relu",
                g.input(InputSpec.quantized(0.5, 3, 1, 2, 4, 4).asChannelsLast()),
                plain(),
                0.75,
                10));
        assertEquals(
                "CONV_2D[quint8[1, 2, 4, 4] NHWC*0.5@3, quint8[2, 1, 1, 2]*0.25@126, int32[2]*0.125@0, 0, 0, 0, 0, "
                        + "1, 1, 1, false]"
                        + " -> quint8[1, 2, 4, 4] NHWC*0.75@10",
                GraphUnderTest.text(model).get(0));
        assertArrayEquals(
                new long[] {0, 128, 133, 255}, model.model().weights().get(1).toLongArray());
        assertArrayEquals(new long[] {8, -2}, model.model().weights().get(0).toLongArray());
    }

    @Test
    void refusesMultipliersOfOneAndMore() {
        g.isRefused(
                g.op("quantized::conv2d", g.input(InputSpec.quantized(0.5, 3, 1, 2, 4, 4)), plain(), 0.125, 10),
                "below 1",
                "1.0");
    }

    @Test
    void refusesWeightsPerChannelAndFloatInputs() {
        CustomObject perChannel = packed(
                new Quantization.PerChannel(new double[] {1, 2}, new double[] {0, 0}, 0, false),
                (short) 2,
                (short) 1,
                (short) 1,
                (short) 0,
                (short) 0,
                (short) 1,
                (short) 1,
                (short) 0,
                (short) 0,
                (short) 1,
                (short) 0);
        g.isRefused(
                g.op("quantized::conv2d", g.input(InputSpec.quantized(0.5, 3, 1, 2, 4, 4)), perChannel, 0.75, 10),
                "per channel");
        GraphUnderTest floats = new GraphUnderTest();
        floats.isRefused(floats.op("quantized::conv2d", floats.floats(1, 2, 4, 4), plain(), 0.75, 10), "quint8");
    }
}
