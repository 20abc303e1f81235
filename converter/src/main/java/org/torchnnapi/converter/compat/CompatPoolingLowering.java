package org.torchnnapi.converter.compat;

import java.util.Arrays;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/**
 * {@code aten::max_pool2d}, {@code avg_pool2d} and {@code adaptive_avg_pool2d}. NNAPI never counts padding in an
 * average, so an average that counts it is taken over an explicitly padded feature map.
 */
final class CompatPoolingLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::max_pool2d", 6, CompatPoolingLowering::max);
        registrar.lowering("aten::avg_pool2d", 7, CompatPoolingLowering::average);
        registrar.lowering("aten::adaptive_avg_pool2d", 2, CompatPoolingLowering::adaptive);
    }

    private static void max(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref image = context.featureMap(context.fixedOperand(node.input(0)));
        SlidingWindow window = window(node, context);
        SlidingWindow.requireNoDilation(context.intsConstant(node.input(4)));
        if (context.boolConstant(node.input(5))) {
            window = window.ceil(image.operand());
        }
        TensorOperand result = pooled(image.operand(), window);
        int[] inputs = arguments(image, window, context);
        context.emit(node.output(), OperationType.MAX_POOL_2D, result, inputs);
    }

    private static void average(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref image = context.featureMap(context.operand(node.input(0)));
        SlidingWindow window = window(node, context);
        boolean ceil = context.boolConstant(node.input(4));
        boolean countPadding = context.boolConstant(node.input(5));
        if (!context.isNone(node.input(6)) && context.intConstant(node.input(6)) != 0) {
            throw new Refused(
                    "NNAPI divides by the number of elements",
                    "divisor_override " + context.intConstant(node.input(6)),
                    "None",
                    "scale the result by a constant instead");
        }
        if (countPadding && window.isPadded()) {
            image = padded(image, window, context);
            window = window.withoutPadding();
        }
        if (ceil) {
            window = window.ceil(image.operand());
        }
        TensorOperand result = pooled(image.operand(), window);
        int[] inputs = arguments(image, window, context);
        int out = context.define(node.output(), result);
        flexibleSizes(out, image, window, context);
        context.model().operation(OperationType.AVERAGE_POOL_2D, out, inputs);
    }

    private static void adaptive(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref image = context.featureMap(context.fixedOperand(node.input(0)));
        int[] target = context.intsConstant(node.input(1));
        if (!Arrays.equals(target, new int[] {1, 1})) {
            throw new Refused(
                    "adaptive pooling goes to one pixel only",
                    "output size " + Arrays.toString(target),
                    "(1, 1)",
                    "use AdaptiveAvgPool2d(1), or AvgPool2d with the kernel that gives this size");
        }
        TensorOperand operand = image.operand();
        if (!operand.isFixed(2) || !operand.isFixed(3)) {
            throw new Refused(
                    "adaptive pooling needs fixed sizes",
                    operand.text(),
                    "fixed height and width",
                    "give the input a fixed shape");
        }
        SlidingWindow window =
                SlidingWindow.of(new int[] {operand.size(2), operand.size(3)}, new int[] {1, 1}, new int[2]);
        context.emit(
                node.output(),
                OperationType.AVERAGE_POOL_2D,
                pooled(operand, window),
                arguments(image, window, context));
    }

    private static SlidingWindow window(Node node, CompatLoweringContext context) {
        int[] kernel = SlidingWindow.pair(context.intsConstant(node.input(1)), new int[0]);
        int[] stride = SlidingWindow.pair(context.intsConstant(node.input(2)), kernel);
        int[] padding = SlidingWindow.pair(context.intsConstant(node.input(3)), new int[2]);
        return SlidingWindow.of(kernel, stride, padding);
    }

    private static TensorOperand pooled(TensorOperand image, SlidingWindow window) {
        CompatActivationLowering.requireReal(image);
        return image.withShape(
                image.size(0),
                image.size(1),
                window.count(image.size(2), SlidingWindow.HEIGHT),
                window.count(image.size(3), SlidingWindow.WIDTH));
    }

    private static int[] arguments(
            CompatLoweringContext.Ref image, SlidingWindow window, CompatLoweringContext context) {
        int[] geometry = window.immediates(context.model(), true);
        int[] inputs = new int[11];
        inputs[0] = image.id();
        System.arraycopy(geometry, 0, inputs, 1, geometry.length);
        inputs[9] = context.model().int32(FuseCode.NONE);
        inputs[10] = context.model().bool(image.operand().layout() == OperandLayout.CONTIGUOUS);
        return inputs;
    }

    /** A zero-padded copy of the feature map; for quantized ones PAD writes the zero point. */
    private static CompatLoweringContext.Ref padded(
            CompatLoweringContext.Ref image, SlidingWindow window, CompatLoweringContext context) {
        TensorOperand operand = image.operand();
        int[] shape = operand.shape();
        int[] pads = new int[2 * shape.length];
        for (int axis = 0; axis < 2; axis++) {
            int d = axis + 2;
            if (!operand.isFixed(d)) {
                throw new Refused(
                        "an average that counts padding needs fixed sizes",
                        operand.text(),
                        "fixed height and width",
                        "use AvgPool2d(count_include_pad=False), or give the input a fixed shape");
            }
            shape[d] += window.padBefore()[axis] + window.padAfter()[axis];
            pads[2 * operand.layout().toNnapi(d)] = window.padBefore()[axis];
            pads[2 * operand.layout().toNnapi(d) + 1] = window.padAfter()[axis];
        }
        TensorOperand larger = operand.withShape(shape);
        int amounts = context.model().tensor(pads, shape.length, 2);
        int id = context.model().add(larger);
        context.forwardSizes(id, image);
        context.model().operation(OperationType.PAD, id, image.id(), amounts);
        return new CompatLoweringContext.Ref(id, larger);
    }

    /** The load-time sizes of a result of windows over {@code image}. */
    static void flexibleSizes(
            int out, CompatLoweringContext.Ref image, SlidingWindow window, CompatLoweringContext context) {
        if (image.size(0) == TensorOperand.AT_LOAD) {
            context.shapes().forward(out, 0, image.id(), 0);
        }
        requireFixedChannels(image.operand());
        for (int axis = 0; axis < 2; axis++) {
            if (image.size(axis + 2) == TensorOperand.AT_LOAD) {
                context.shapes().assign(out, axis + 2, window.countExpression(image.id(), axis));
            }
        }
    }

    static void requireFixedChannels(TensorOperand image) {
        if (!image.isFixed(1)) {
            throw new Refused(
                    "the number of channels must be fixed",
                    image.text(),
                    "a fixed dimension 1",
                    "fix that size of the input");
        }
    }
}
