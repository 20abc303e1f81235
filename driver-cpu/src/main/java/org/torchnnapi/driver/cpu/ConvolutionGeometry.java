package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.PaddingCode;
import org.torchnnapi.tensor.WindowAxis;

/**
 * The numbers of a convolution, whichever of its signatures gives them.
 *
 * @param activation code of the fused activation
 */
record ConvolutionGeometry(ConvShape shape, ImageLayout layout, int activation) {
    /** Where the filter's rows and columns are, in all four operations. */
    private static final int FILTER_HEIGHT = 1;

    private static final int FILTER_WIDTH = 2;

    static ConvolutionGeometry of(OperationView site) {
        return site.operation().type() == OperationType.TRANSPOSE_CONV_2D ? transposed(site) : ordinary(site);
    }

    private static ConvolutionGeometry ordinary(OperationView site) {
        boolean depthwise = site.operation().type() == OperationType.DEPTHWISE_CONV_2D;
        ImageLayout layout = site.flagged(site.at("layout"));
        int dilationW = site.intValue(site.at("dilationWidth"), 1);
        int dilationH = site.intValue(site.at("dilationHeight"), 1);
        int[] in = image(site.in(0).dimensions(), layout);
        int[] filter = site.in(ProductWeights.WEIGHTS).dimensions();
        int outC = filter[depthwise ? 3 : 0];
        int groups = depthwise ? in[0] : site.intValue(site.at("groups"), 1);
        int strideW = site.intValue(site.at("strideWidth"));
        int strideH = site.intValue(site.at("strideHeight"));
        int[] pads =
                pads(site, in, filter[FILTER_HEIGHT], filter[FILTER_WIDTH], strideH, strideW, dilationH, dilationW);
        ConvShape shape = ConvShape.of(in[0], in[1], in[2], outC, filter[FILTER_HEIGHT], filter[FILTER_WIDTH])
                .stride(strideH, strideW)
                .dilation(dilationH, dilationW)
                .padding(pads[0], pads[1], pads[2], pads[3])
                .groups(groups);
        return new ConvolutionGeometry(shape, layout, site.intValue(site.at("activation")));
    }

    private static ConvolutionGeometry transposed(OperationView site) {
        ImageLayout layout = site.flagged(site.at("layout"));
        int[] in = image(site.in(0).dimensions(), layout);
        int[] out = image(site.out().dimensions(), layout);
        int[] filter = site.in(ProductWeights.WEIGHTS).dimensions();
        int strideW = site.intValue(site.at("strideWidth"));
        int strideH = site.intValue(site.at("strideHeight"));
        int[] pads = pads(site, out, filter[FILTER_HEIGHT], filter[FILTER_WIDTH], strideH, strideW, 1, 1);
        ConvShape shape = ConvShape.of(in[0], in[1], in[2], filter[0], filter[FILTER_HEIGHT], filter[FILTER_WIDTH])
                .stride(strideH, strideW)
                .padding(pads[0], pads[1], pads[2], pads[3])
                .transposed(0, 0);
        // Beyond what the kernel reaches, the output has nothing but the bias.
        int extraH = out[1] - shape.outH();
        int extraW = out[2] - shape.outW();
        return new ConvolutionGeometry(
                extraH < 0 || extraW < 0 ? shape : shape.transposed(extraH, extraW),
                layout,
                site.intValue(site.at("activation")));
    }

    /** Channels, height and width. */
    static int[] image(int[] dims, ImageLayout layout) {
        return layout == ImageLayout.NCHW
                ? new int[] {dims[1], dims[2], dims[3]}
                : new int[] {dims[3], dims[1], dims[2]};
    }

    /** Top, bottom, left and right padding, given in elements or as a code; with SAME the odd element is at the end. */
    static int[] pads(
            OperationView site,
            int[] image,
            int filterH,
            int filterW,
            int strideH,
            int strideW,
            int dilationH,
            int dilationW) {
        if (site.at("paddingLeft") >= 0) {
            return new int[] {
                site.intValue(site.at("paddingTop")),
                site.intValue(site.at("paddingBottom")),
                site.intValue(site.at("paddingLeft")),
                site.intValue(site.at("paddingRight"))
            };
        }
        int code = site.intValue(site.at("paddingCode"));
        WindowAxis rows = PaddingCode.window(code, image[1], filterH, strideH, dilationH);
        WindowAxis columns = PaddingCode.window(code, image[2], filterW, strideW, dilationW);
        return new int[] {rows.before(), rows.after(), columns.before(), columns.after()};
    }

    /** Whether the kernels' output is the declared one. */
    Problem problem(OperationView site) {
        int[] out = image(site.out().dimensions(), layout);
        return shape.outC() == out[0] && shape.outH() == out[1] && shape.outW() == out[2]
                ? null
                : Problem.of("output", site.out(), shape.outC() + " channels of " + shape.outH() + "x" + shape.outW());
    }
}
