package org.torchnnapi.operators.packed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class ConvolutionParamsTest {
    private static final Tensor WEIGHT = Tensor.of(DType.QINT8, new byte[] {1, 2, 3, 4, 5, 6}, 2, 1, 3)
            .withQuantization(new Quantization.PerTensor(0.5, 0));

    private static Object run(String kind, Object... arguments) {
        Operator operator = OperatorRegistry.withBuiltins().overloads(kind).get(0);
        return operator.kernel().call(arguments);
    }

    @Test
    void methodsSayWhatWasPacked() {
        Tensor weight = WEIGHT.asStrided(new int[] {2, 1, 1, 3}, new int[] {3, 3, 3, 1}, 0);
        ConvolutionParams params = new ConvolutionParams(
                weight, null, new int[] {1, 2}, new int[] {3, 4}, new int[] {1, 1}, new int[] {0, 0}, 1, false);
        PackedClass<ConvolutionParams> type = ConvolutionParams.CLASS_2D;
        assertSame(weight, ((ScriptTuple) type.call(params, "unpack", new Object[0])).get(0));
        assertEquals(List.of(1L, 2L), ((ScriptList) type.call(params, "stride", new Object[0])).items());
        assertEquals(List.of(3L, 4L), ((ScriptList) type.call(params, "padding", new Object[0])).items());
        assertEquals(1L, type.call(params, "groups", new Object[0]));
        assertEquals(false, type.call(params, "transpose", new Object[0]));
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> type.call(params, "size", new Object[0]));
        assertEquals(
                "method: size with 0 arguments (expected: one of [bias, dilation, groups, output_padding, padding, "
                        + "stride, transpose, unpack, weight], "
                        + "without arguments)",
                e.getMessage());
    }

    @Test
    void readsStatesOfVersionThree() {
        Tensor weight = WEIGHT.asStrided(new int[] {2, 1, 1, 3}, new int[] {3, 3, 3, 1}, 0);
        ScriptList tensors = new ScriptList(Type.optional(Type.Basic.TENSOR), Arrays.asList(null, weight, null));
        ScriptTuple state = ScriptTuple.of(3L, ScriptList.ofInts(2, 1, 2, 3, 4, 1, 1, 0, 0, 1, 0), tensors);
        ConvolutionParams params = (ConvolutionParams) ConvolutionParams.CLASS_2D.setState(state);
        assertSame(weight, params.weight());
        assertArrayEquals(new int[] {1, 2}, params.stride());
        assertArrayEquals(new int[] {3, 4}, params.padding());
        ScriptTuple broken = ScriptTuple.of(3L, ScriptList.ofInts(), tensors);
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> ConvolutionParams.CLASS_2D.setState(broken));
        assertEquals("packed convolution config: [] (expected: 4n + 3 numbers for n = 1 to 3)", e.getMessage());
    }

    @Test
    void oneDimensionalWeightsComeBackAsTheyWere() {
        ScriptList one = ScriptList.ofInts(1);
        CustomObject packed =
                (CustomObject) run("quantized::conv1d_prepack", WEIGHT, null, one, ScriptList.ofInts(0), one, 1L);
        Tensor weight = (Tensor) ((Object[]) run("quantized::conv1d_unpack", packed))[0];
        assertArrayEquals(WEIGHT.sizes(), weight.sizes());
        assertArrayEquals(WEIGHT.strides(), weight.strides());
    }
}
