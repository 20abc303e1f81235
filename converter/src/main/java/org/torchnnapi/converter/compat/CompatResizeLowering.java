package org.torchnnapi.converter.compat;

import java.util.Arrays;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.converter.shape.SizeExpression;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptList;

/** {@code aten::upsample_nearest2d} to a size or by factors, as RESIZE_NEAREST_NEIGHBOR. */
final class CompatResizeLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::upsample_nearest2d", 2, CompatResizeLowering::nearest);
    }

    private static void nearest(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref image = context.featureMap(context.operand(node.input(0)));
        CompatActivationLowering.requireReal(image.operand());
        boolean hasSize = !context.isNone(node.input(1));
        boolean hasFactors = false;
        for (int i = 2; i < node.inputs().size(); i++) {
            hasFactors |= !context.isNone(node.input(i));
        }
        if (hasSize == hasFactors) {
            throw new Refused(
                    "an upsampling has either a size or factors", hasSize ? "both" : "neither", "one of them", "");
        }
        if (!image.operand().isFixed(0) || !image.operand().isFixed(1)) {
            throw new Refused(
                    "upsampling needs a fixed batch size and number of channels",
                    image.operand().text(),
                    "fixed dimensions 0 and 1",
                    "fix those sizes of the input");
        }
        if (hasSize) {
            toSize(node, context, image);
        } else {
            byFactors(node, context, image);
        }
    }

    private static void toSize(Node node, CompatLoweringContext context, CompatLoweringContext.Ref image) {
        int[] size = SlidingWindow.pair(context.intsConstant(node.input(1)), new int[0]);
        if (size.length != 2 || size[0] < 1 || size[1] < 1) {
            throw new Refused(
                    "an upsampling has a height and a width", Arrays.toString(size), "two positive numbers", "");
        }
        int height = context.model().int32(size[0]);
        int width = context.model().int32(size[1]);
        int out = define(node, context, image, size);
        for (int axis = 0; axis < 2; axis++) {
            if (image.size(axis + 2) == TensorOperand.AT_LOAD) {
                context.shapes().assign(out, axis + 2, new SizeExpression.Number(size[axis]));
            }
        }
        emit(context, out, image, width, height);
    }

    private static void byFactors(Node node, CompatLoweringContext context, CompatLoweringContext.Ref image) {
        double[] factors = factors(node, context);
        int[] size = new int[2];
        for (int axis = 0; axis < 2; axis++) {
            int from = image.size(axis + 2);
            size[axis] = from <= 0 ? from : (int) (factors[axis] * from);
            requireSamePixels(from, size[axis], factors[axis]);
        }
        int height = context.model().float32((float) factors[0]);
        int width = context.model().float32((float) factors[1]);
        int out = define(node, context, image, size);
        for (int axis = 0; axis < 2; axis++) {
            if (image.size(axis + 2) == TensorOperand.AT_LOAD) {
                context.shapes()
                        .assign(
                                out,
                                axis + 2,
                                new SizeExpression.Scaled(
                                        factors[axis], new SizeExpression.OperandSize(image.id(), axis + 2)));
            }
        }
        emit(context, out, image, width, height);
    }

    private static double[] factors(Node node, CompatLoweringContext context) {
        if (node.inputs().size() != 3
                || !(context.constant(node.input(2)) instanceof ScriptList list)
                || list.size() != 1 && list.size() != 2) {
            throw new Refused("factors must be listed", context.describe(node.input(2)), "one or two floats", "");
        }
        double[] factors = new double[2];
        for (int axis = 0; axis < 2; axis++) {
            Object factor = list.get(list.size() == 1 ? 0 : axis);
            if (!(factor instanceof Double value) || !(value > 0) || value.isInfinite()) {
                throw new Refused("factors must be positive numbers", String.valueOf(factor), "a float > 0", "");
            }
            factors[axis] = value;
        }
        return factors;
    }

    /**
     * PyTorch takes the pixel at {@code floor(i / factor)}, NNAPI the one at {@code floor(i * in / out)}: the same
     * unless the output size was rounded down. Both compute in float32.
     */
    private static void requireSamePixels(int from, int to, double factor) {
        boolean same = from > 0 ? to > 0 : factor == Math.rint(factor);
        float torchStep = (float) (1.0 / factor);
        float nnapiStep = (float) from / to;
        for (int i = 0; same && i < to; i++) {
            int torch = Math.min((int) Math.floor(i * torchStep), from - 1);
            int nnapi = Math.min((int) Math.floor(i * nnapiStep), from - 1);
            same = torch == nnapi;
        }
        if (!same) {
            throw new Refused(
                    "NNAPI and PyTorch pick other pixels for this factor",
                    "factor " + factor + (from > 0 ? " of size " + from : " of a flexible size"),
                    "a factor that gives a whole number of pixels",
                    "upsample to a size instead");
        }
    }

    private static int define(Node node, CompatLoweringContext context, CompatLoweringContext.Ref image, int[] size) {
        return context.define(node.output(), image.operand().withShape(image.size(0), image.size(1), size[0], size[1]));
    }

    private static void emit(
            CompatLoweringContext context, int out, CompatLoweringContext.Ref image, int width, int height) {
        context.model()
                .operation(
                        OperationType.RESIZE_NEAREST_NEIGHBOR,
                        out,
                        image.id(),
                        width,
                        height,
                        context.model().bool(image.operand().layout() == OperandLayout.CONTIGUOUS));
    }
}
