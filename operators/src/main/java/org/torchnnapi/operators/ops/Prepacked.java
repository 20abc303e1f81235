package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.packed.FloatContext;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/** What {@code optimize_for_mobile} turns float layers into: a layer and a clamp in one operator. */
public final class Prepacked implements OperatorFamily {
    /** Dimensions of what packed convolutions take. */
    private static final int BATCH = 4;

    @Override
    public void register(Registrar r) {
        String limits = "Scalar? output_min=None, Scalar? output_max=None) -> ";
        r.op(
                "prepacked::conv2d_clamp_prepack(Tensor W, Tensor? B, int[2] stride, int[2] padding, int[2] "
                        + "dilation, int groups, "
                        + limits + FloatContext.CONVOLUTION.qualifiedName(),
                a -> FloatContext.CONVOLUTION.wrap(new FloatContext(
                        tensor(a, 0),
                        tensorOrNull(a, 1),
                        new int[][] {ints(a, 2, 2), ints(a, 3, 2), ints(a, 4, 2)},
                        int32(a, 5),
                        realOrNull(a, 6),
                        realOrNull(a, 7))));
        r.op(
                "prepacked::conv2d_transpose_clamp_prepack(Tensor W, Tensor? B, int[2] stride, int[2] padding, "
                        + "int[2] output_padding, int[2] dilation, "
                        + "int groups, " + limits + FloatContext.TRANSPOSED.qualifiedName(),
                a -> FloatContext.TRANSPOSED.wrap(new FloatContext(
                        tensor(a, 0),
                        tensorOrNull(a, 1),
                        new int[][] {ints(a, 2, 2), ints(a, 3, 2), ints(a, 4, 2), ints(a, 5, 2)},
                        int32(a, 6),
                        realOrNull(a, 7),
                        realOrNull(a, 8))));
        r.op(
                "prepacked::linear_clamp_prepack(Tensor W, Tensor? B=None, " + limits
                        + FloatContext.LINEAR.qualifiedName(),
                a -> FloatContext.LINEAR.wrap(new FloatContext(
                        tensor(a, 0), tensorOrNull(a, 1), new int[0][], 1, realOrNull(a, 2), realOrNull(a, 3))));
        r.op(
                "prepacked::conv2d_clamp_run(Tensor X, " + FloatContext.CONVOLUTION.qualifiedName()
                        + " W_prepack) -> Tensor Y",
                a -> {
                    FloatContext c = FloatContext.CONVOLUTION.unwrap(a, 1);
                    return clamp(convolution(tensor(a, 0), c, c.geometry()[2], new int[2], false), c);
                });
        r.op(
                "prepacked::conv2d_transpose_clamp_run(Tensor X, " + FloatContext.TRANSPOSED.qualifiedName()
                        + " W_prepack) -> Tensor Y",
                a -> {
                    FloatContext c = FloatContext.TRANSPOSED.unwrap(a, 1);
                    return clamp(convolution(tensor(a, 0), c, c.geometry()[3], c.geometry()[2], true), c);
                });
        r.op(
                "prepacked::linear_clamp_run(Tensor X, " + FloatContext.LINEAR.qualifiedName()
                        + " W_prepack) -> Tensor Y",
                a -> {
                    FloatContext c = FloatContext.LINEAR.unwrap(a, 1);
                    return clamp(MatrixProducts.linear(tensor(a, 0), c.weight(), c.bias()), c);
                });
    }

    private static Tensor convolution(
            Tensor x, FloatContext c, int[] dilation, int[] outputPadding, boolean transposed) {
        if (x.rank() != BATCH) {
            throw new IllegalArgumentException("prepacked convolution: " + x + " (expected: a batch, rank " + BATCH
                    + ", as the convolution that was packed took single images too)");
        }
        return ConvolutionFamily.general(new Object[] {
            x,
            c.weight(),
            c.bias(),
            list(c.geometry()[0]),
            list(c.geometry()[1]),
            list(dilation),
            transposed,
            list(outputPadding),
            (long) c.groups()
        });
    }

    private static ScriptList list(int[] values) {
        return ScriptList.ofInts(Arrays.stream(Shape.toLongs(values)).toArray());
    }

    private static Tensor clamp(Tensor t, FloatContext c) {
        if (c.min() == null && c.max() == null) {
            return t;
        }
        double low = c.min() == null ? Double.NEGATIVE_INFINITY : c.min();
        double high = c.max() == null ? Double.POSITIVE_INFINITY : c.max();
        return Pointwise.unary(t, x -> Math.min(Math.max(x, low), high));
    }
}
