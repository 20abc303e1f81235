package org.torchnnapi.converter.compat;

import java.util.Arrays;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** {@code aten::conv2d} and {@code aten::_convolution}, plain and transposed, with constant weights. */
final class CompatConvolutionLowering implements CompatLoweringFamily {
    private static final int[] NONE = {};

    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::conv2d", 7, (node, context) -> lower(node, context, false, null, node.input(6)));
        registrar.lowering(
                "aten::_convolution",
                9,
                (node, context) ->
                        lower(node, context, context.boolConstant(node.input(6)), node.input(7), node.input(8)));
    }

    /** Both kinds begin with input, weight, bias, stride, padding, dilation. */
    private static void lower(
            Node node, CompatLoweringContext context, boolean transposed, Value outputPadding, Value groups) {
        Tensor weight = context.tensorConstant(node.input(1));
        int[] kernel = ConvolutionParts.kernel(weight);
        SlidingWindow.requireNoDilation(context.intsConstant(node.input(5)));
        SlidingWindow window = SlidingWindow.of(
                kernel,
                SlidingWindow.pair(context.intsConstant(node.input(3)), NONE),
                SlidingWindow.pair(context.intsConstant(node.input(4)), NONE));
        if (transposed) {
            window = withOutputPadding(window, context.intsConstant(outputPadding));
        }
        Tensor given = context.optionalTensorConstant(node.input(2));
        CompatLoweringContext.Ref image = context.operand(node.input(0));
        CompatLoweringContext.Ref bias =
                context.weight(given != null ? given : Tensor.zeros(weight.dtype(), weight.size(transposed ? 1 : 0)));
        new ConvolutionParts(window, context.intConstant(groups), transposed, FuseCode.NONE)
                .emit(node.output(), context, image, weight, bias, 0, 0);
    }

    /** Rows and columns added to the result are rows and columns not cut off by the padding at the end. */
    private static SlidingWindow withOutputPadding(SlidingWindow window, int[] extra) {
        int[] added = SlidingWindow.pair(extra, new int[2]);
        int[] after = window.padAfter().clone();
        for (int axis = 0; axis < 2; axis++) {
            after[axis] -= added[axis];
            if (after[axis] < 0) {
                throw new Refused(
                        "output_padding must not exceed padding",
                        "output_padding " + Arrays.toString(added) + " with padding "
                                + Arrays.toString(window.padAfter()),
                        "at most the padding",
                        "pad the result instead");
            }
        }
        return window.withPadAfter(after);
    }
}
