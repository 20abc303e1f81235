package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.PaddingCode;
import org.torchnnapi.tensor.WindowAxis;

/**
 * The numbers of a convolution, whichever of its signatures gives them.
 *
 * @param activation position of the fused activation
 */
record Geometry(ConvShape shape, ImageLayout layout, int activation) {
    private static final int PADDING = 3;

    /** Where the filter's rows and columns are, in all four operations. */
    private static final int FILTER_HEIGHT = 1;
    private static final int FILTER_WIDTH = 2;

    static Geometry of(Site site) {
        return site.operation().type() == OperationType.TRANSPOSE_CONV_2D ? transposed(site) : ordinary(site);
    }

    private static Geometry ordinary(Site site) {
        OperationType type = site.operation().type();
        int extra = type == OperationType.CONV_2D ? 0 : 1;
        boolean explicit = site.inputs() > 7 + extra && site.in(7 + extra).type() == OperandType.INT32;
        int stride = PADDING + (explicit ? 4 : 1);
        int activation = stride + 2 + extra;
        ImageLayout layout = site.flagged(activation + 1);
        boolean grouped = type == OperationType.GROUPED_CONV_2D;
        int dilationW = grouped ? 1 : site.intValue(activation + 2, 1);
        int dilationH = grouped ? 1 : site.intValue(activation + 3, 1);
        int[] in = image(site.in(0).dimensions(), layout);
        int[] filter = site.in(1).dimensions();
        int outC = filter[type == OperationType.DEPTHWISE_CONV_2D ? 3 : 0];
        int groups = type == OperationType.CONV_2D ? 1 : type == OperationType.DEPTHWISE_CONV_2D ? in[0] : site.intValue(stride + 2);
        int strideW = site.intValue(stride);
        int strideH = site.intValue(stride + 1);
        int[] pads = explicit
                ? new int[] {site.intValue(PADDING + 2), site.intValue(PADDING + 3), site.intValue(PADDING), site.intValue(PADDING + 1)}
                : implicit(site.intValue(PADDING), in, filter[FILTER_HEIGHT], filter[FILTER_WIDTH], strideH, strideW, dilationH, dilationW);
        ConvShape shape = ConvShape.of(in[0], in[1], in[2], outC, filter[FILTER_HEIGHT], filter[FILTER_WIDTH]).stride(strideH, strideW)
                .dilation(dilationH, dilationW).padding(pads[0], pads[1], pads[2], pads[3]).groups(groups);
        return new Geometry(shape, layout, activation);
    }

    private static Geometry transposed(Site site) {
        boolean explicit = site.inputs() == 11;
        int stride = explicit ? 7 : 5;
        ImageLayout layout = site.flagged(stride + 3);
        int[] in = image(site.in(0).dimensions(), layout);
        int[] out = image(site.out().dimensions(), layout);
        int[] filter = site.in(1).dimensions();
        int strideW = site.intValue(stride);
        int strideH = site.intValue(stride + 1);
        int[] pads = explicit
                ? new int[] {site.intValue(PADDING + 2), site.intValue(PADDING + 3), site.intValue(PADDING), site.intValue(PADDING + 1)}
                : implicit(site.intValue(PADDING + 1), out, filter[FILTER_HEIGHT], filter[FILTER_WIDTH], strideH, strideW, 1, 1);
        ConvShape shape = ConvShape.of(in[0], in[1], in[2], filter[0], filter[FILTER_HEIGHT], filter[FILTER_WIDTH])
                .stride(strideH, strideW).padding(pads[0], pads[1], pads[2], pads[3]).transposed(0, 0);
        // Beyond what the kernel reaches, the output has nothing but the bias.
        int extraH = out[1] - shape.outH();
        int extraW = out[2] - shape.outW();
        return new Geometry(extraH < 0 || extraW < 0 ? shape : shape.transposed(extraH, extraW), layout, stride + 2);
    }

    /** Channels, height and width. */
    static int[] image(int[] dims, ImageLayout layout) {
        return layout == ImageLayout.NCHW ? new int[] {dims[1], dims[2], dims[3]} : new int[] {dims[3], dims[1], dims[2]};
    }

    /** Top, bottom, left and right padding for a padding code; with SAME the odd element is at the end. */
    static int[] implicit(int code, int[] image, int filterH, int filterW, int strideH, int strideW, int dilationH, int dilationW) {
        WindowAxis rows = PaddingCode.window(code, image[1], filterH, strideH, dilationH);
        WindowAxis columns = PaddingCode.window(code, image[2], filterW, strideW, dilationW);
        return new int[] {rows.before(), rows.after(), columns.before(), columns.after()};
    }

    /** Whether the kernels' output is the declared one. */
    Problem problem(Site site) {
        int[] out = image(site.out().dimensions(), layout);
        return shape.outC() == out[0] && shape.outH() == out[1] && shape.outW() == out[2] ? null
                : Problem.of("output", site.out(), shape.outC() + " channels of " + shape.outH() + "x" + shape.outW());
    }
}
