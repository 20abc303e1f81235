package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;

/**
 * DEPTH_TO_SPACE and SPACE_TO_DEPTH: channel {@code (y % block * block + x % block) * channels + c} of the deep tensor
 * is channel c of pixel (y, x) of the image.
 *
 * @param toSpace whether channels become pixels
 */
record DepthSpaceOperationLowering(boolean toSpace) implements OperationLowering {
    private static final int BLOCK = OperationView.input(OperationType.DEPTH_TO_SPACE, "blockSize");
    private static final int LAYOUT = OperationView.input(OperationType.DEPTH_TO_SPACE, "layout");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        int block = site.intValue(BLOCK);
        int[] image = image(site);
        int[] deep = ConvolutionGeometry.image((toSpace ? site.in(0) : site.out()).dimensions(), site.flagged(LAYOUT));
        boolean fits =
                image[0] * block * block == deep[0] && deep[1] * block == image[1] && deep[2] * block == image[2];
        return fits ? null : Problem.of("output", site.out(), "blocks of " + block + " of " + site.in(0));
    }

    /** Channels, height and width of the shallow side. */
    private int[] image(OperationView site) {
        return ConvolutionGeometry.image((toSpace ? site.out() : site.in(0)).dimensions(), site.flagged(LAYOUT));
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int block = site.intValue(BLOCK);
        int[] image = image(site);
        int batch = site.in(0).dimension(0);
        int rows = image[1] / block;
        int columns = image[2] / block;
        boolean first = site.flagged(LAYOUT) == ImageLayout.NCHW;
        int[] deep = first
                ? new int[] {batch, block, block, image[0], rows, columns}
                : new int[] {batch, rows, columns, block, block, image[0]};
        int[] flat = first
                ? new int[] {batch, image[0], rows, block, columns, block}
                : new int[] {batch, rows, block, columns, block, image[0]};
        int[] toImage = first ? new int[] {0, 3, 4, 1, 5, 2} : new int[] {0, 1, 3, 2, 4, 5};
        int[] toDeep = first ? new int[] {0, 3, 5, 1, 2, 4} : toImage;
        int cut = translation.add(new ReshapeOp(toSpace ? deep : flat), translation.in(site, 0));
        translation.result(
                site,
                new ReshapeOp(site.out().dimensions()),
                translation.add(new TransposeOp(toSpace ? toImage : toDeep), cut));
    }
}
