package org.torchnnapi.program.op;

import java.util.Locale;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.ValueType;

/** What convolutions of floats and of bytes share. */
final class WeightProducts {
    private WeightProducts() {}

    static void check(ConvShape shape, ImageLayout order, int weights, int biases) {
        Require.order(order);
        if (shape.outH() < 1 || shape.outW() < 1) {
            throw new IllegalArgumentException("output: " + shape.outH() + "x" + shape.outW() + " (expected: >= 1)");
        }
        if (weights != shape.weightCount()) {
            throw new IllegalArgumentException("weights: " + weights + " (expected: " + shape.weightCount() + ")");
        }
        if (biases != shape.outC()) {
            throw new IllegalArgumentException(
                    "bias: " + biases + " (expected: " + shape.outC() + ", one an output channel)");
        }
    }

    /**
     * How the input of a convolution of floats is to lie, that lies in some way now. Full blocks of channels are read
     * fastest. From images that lie channel by channel that saves more than laying them anew costs, even where each
     * pixel is read once; from those that lie pixel by pixel it does where it is read for several taps.
     */
    static ImageStorage storage(ConvShape shape, ImageLayout order, ImageStorage actual) {
        ImageStorage suited = Require.suited(actual, order);
        int block = Kernels.channelBlock();
        boolean isWhole = shape.isDepthwise() ? shape.inC() % block == 0 : shape.inC() / shape.groups() % block == 0;
        boolean isRead = suited.layout(order) == ImageLayout.NCHW
                || shape.kernelH() > 1 && shape.kernelW() > 1 && shape.groups() == 1;
        return !suited.isBlocked() && isWhole && isRead && shape.outC() >= block
                ? ImageStorage.of(order, Kernels.preferredFloatLayout())
                : suited;
    }

    /**
     * How often each weight is multiplied: once for each pixel of the result, or of the input of a transposed
     * convolution.
     */
    static long pixels(ConvShape shape, Operands operands) {
        return shape.transposed()
                ? operands.in(0).type().count() / shape.inC()
                : operands.out().type().count() / shape.outC();
    }

    /** The shape with {@code in} on the last axis become {@code out}. */
    static int[] rows(ValueType type, int in, int out) {
        int last = type.rank() - 1;
        if (last < 0 || type.dimension(last) != in) {
            throw new IllegalArgumentException("input: " + type + " (expected: last dimension " + in + ")");
        }
        int[] shape = type.shape().clone();
        shape[last] = out;
        return shape;
    }

    static String label(Activation activation) {
        return (activation.function() == null
                        ? ""
                        : " " + activation.function().name().toLowerCase(Locale.ROOT))
                + (activation.clamp().isNone() ? "" : " " + activation.clamp().label());
    }

    static String label(ConvShape shape) {
        String kind = shape.transposed()
                ? "transposed convolution "
                : shape.isDepthwise() ? "depthwise convolution " : "convolution ";
        return kind + shape.kernelH() + "x" + shape.kernelW()
                + (shape.strideH() * shape.strideW() == 1 ? "" : "/" + shape.strideH())
                + (shape.groups() == 1 || shape.isDepthwise() ? "" : " of " + shape.groups() + " groups");
    }
}
