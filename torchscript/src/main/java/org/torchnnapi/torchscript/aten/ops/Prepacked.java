package org.torchnnapi.torchscript.aten.ops;

import static org.torchnnapi.torchscript.aten.support.Args.int32;
import static org.torchnnapi.torchscript.aten.support.Args.ints;
import static org.torchnnapi.torchscript.aten.support.Args.scalarOrNull;
import static org.torchnnapi.torchscript.aten.support.Args.tensor;
import static org.torchnnapi.torchscript.aten.support.Args.tensorOrNull;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.packed.ClampContext;
import org.torchnnapi.torchscript.aten.support.ConvolutionPlan;
import org.torchnnapi.torchscript.aten.support.Pointwise;

/** Float layers packed with a clamp, which optimize_for_mobile puts into models for XNNPACK. */
public final class Prepacked implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("prepacked::conv2d_clamp_prepack(Tensor W, Tensor? B, int[2] stride, int[2] padding, int[2] dilation, "
            + "int groups, Scalar? output_min=None, "
            + "Scalar? output_max=None) -> __torch__.torch.classes.xnnpack.Conv2dOpContext", a -> ClampContext.CONV2D.wrap(new ClampContext(tensor(a, 0), tensorOrNull(a, 1),
            new ConvolutionPlan(ints(a, 2, 2), ints(a, 3, 2), ints(a, 4, 2), false, new int[2], int32(a, 5)), scalarOrNull(a, 6),
            scalarOrNull(a, 7))));
        r.op("prepacked::conv2d_transpose_clamp_prepack(Tensor W, Tensor? B, int[2] stride, int[2] padding, "
            + "int[2] output_padding, int[2] dilation, int groups, Scalar? output_min=None, "
            + "Scalar? output_max=None) -> __torch__.torch.classes.xnnpack.TransposeConv2dOpContext", a -> ClampContext.TRANSPOSED.wrap(new ClampContext(tensor(a, 0),
            tensorOrNull(a, 1), new ConvolutionPlan(ints(a, 2, 2), ints(a, 3, 2), ints(a, 5, 2), true, ints(a, 4, 2), int32(a, 6)),
            scalarOrNull(a, 7), scalarOrNull(a, 8))));
        r.op("prepacked::linear_clamp_prepack(Tensor W, Tensor? B=None, Scalar? output_min=None, "
            + "Scalar? output_max=None) -> __torch__.torch.classes.xnnpack.LinearOpContext", a -> ClampContext.LINEAR.wrap(new ClampContext(tensor(a, 0), tensorOrNull(a, 1), null,
            scalarOrNull(a, 2), scalarOrNull(a, 3))));
        r.op("prepacked::conv2d_clamp_run(Tensor X, "
            + "__torch__.torch.classes.xnnpack.Conv2dOpContext W_prepack) -> Tensor Y", a -> convolve(tensor(a, 0), ClampContext.CONV2D.argument(a, 1)));
        r.op("prepacked::conv2d_transpose_clamp_run(Tensor X, "
            + "__torch__.torch.classes.xnnpack.TransposeConv2dOpContext W_prepack) -> Tensor Y", a -> convolve(tensor(a, 0), ClampContext.TRANSPOSED.argument(a, 1)));
        r.op("prepacked::linear_clamp_run(Tensor X, "
            + "__torch__.torch.classes.xnnpack.LinearOpContext W_prepack) -> Tensor Y", a -> linear(tensor(a, 0), ClampContext.LINEAR.argument(a, 1)));
    }

    private static Tensor convolve(Tensor x, ClampContext c) {
        if (c.plan() == null) {
            throw new IllegalArgumentException("context: linear (expected: a convolution)");
        }
        return Convolution.convolve(x, c.weight(), c.bias(), c.plan(), c.clamp());
    }

    private static Tensor linear(Tensor x, ClampContext c) {
        Tensor y = MatrixProducts.linear(x, c.weight(), c.bias());
        Clamp clamp = c.clamp();
        return clamp.isNone() ? y : Pointwise.unary(y, y.dtype(), v -> Math.min(clamp.max(), Math.max(clamp.min(), v)));
    }
}
