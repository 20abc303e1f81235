package org.torchnnapi.operators.packed;

import java.util.Arrays;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What {@code optimize_for_mobile} prepares for XNNPACK: float weights with a clamp. The states list weight, bias,
 * geometry and limits; a limit is a number or None.
 *
 * @param geometry stride, padding, (transposed: output padding,) dilation; empty for a linear layer
 */
public record FloatContext(Tensor weight, Tensor bias, int[][] geometry, int groups, Double min, Double max) {
    public static final PackedClass<FloatContext> CONVOLUTION = new PackedClass<>(
            "xnnpack.Conv2dOpContext",
            FloatContext.class,
            FloatContext::convolutionState,
            state -> ofConvolution((ScriptTuple) state, 3));
    public static final PackedClass<FloatContext> TRANSPOSED = new PackedClass<>(
            "xnnpack.TransposeConv2dOpContext",
            FloatContext.class,
            FloatContext::convolutionState,
            state -> ofConvolution((ScriptTuple) state, 4));
    public static final PackedClass<FloatContext> LINEAR = new PackedClass<>(
            "xnnpack.LinearOpContext",
            FloatContext.class,
            context -> ScriptTuple.of(context.weight, context.bias, context.min, context.max),
            state -> ofLinear((ScriptTuple) state));

    private Object convolutionState() {
        Object[] items = new Object[geometry.length + 5];
        items[0] = weight;
        items[1] = bias;
        for (int i = 0; i < geometry.length; i++) {
            items[2 + i] =
                    ScriptList.ofInts(Arrays.stream(geometry[i]).asLongStream().toArray());
        }
        items[geometry.length + 2] = (long) groups;
        items[geometry.length + 3] = min;
        items[geometry.length + 4] = max;
        return ScriptTuple.of(items);
    }

    private static FloatContext ofConvolution(ScriptTuple state, int lists) {
        int[][] geometry = new int[lists][];
        for (int i = 0; i < lists; i++) {
            geometry[i] = Shape.toInts(((ScriptList) state.get(2 + i)).toLongs());
        }
        return new FloatContext(
                (Tensor) state.get(0),
                (Tensor) state.get(1),
                geometry,
                ((Long) state.get(lists + 2)).intValue(),
                limit(state.get(lists + 3)),
                limit(state.get(lists + 4)));
    }

    private static FloatContext ofLinear(ScriptTuple state) {
        return new FloatContext(
                (Tensor) state.get(0),
                (Tensor) state.get(1),
                new int[0][],
                1,
                limit(state.get(2)),
                limit(state.get(3)));
    }

    private static Double limit(Object value) {
        return value == null ? null : (Double) ((Number) value).doubleValue();
    }
}
