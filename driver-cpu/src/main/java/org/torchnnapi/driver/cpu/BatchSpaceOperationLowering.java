package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;

/**
 * BATCH_TO_SPACE_ND and SPACE_TO_BATCH_ND: image {@code (y % blockH * blockW + x % blockW) * batch + n} of the many is
 * every block-th pixel of image n, from (y, x) on.
 *
 * @param toSpace whether batches become pixels
 */
record BatchSpaceOperationLowering(boolean toSpace) implements OperationLowering {
    private static final int BLOCK = OperationView.input(OperationType.SPACE_TO_BATCH_ND, "block");
    private static final int PADDINGS = OperationView.input(OperationType.SPACE_TO_BATCH_ND, "paddings");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        int[] block = site.ints(BLOCK);
        int[] image = image(site);
        int[] small = ConvolutionGeometry.image((toSpace ? site.in(0) : site.out()).dimensions(), layout(site));
        boolean fits = block.length == 2
                && block[0] >= 1
                && block[1] >= 1
                && small[1] * block[0] == image[1]
                && small[2] * block[1] == image[2]
                && site.in(0).rank() == 4;
        return fits ? null : Problem.of("output", site.out(), "every block-th pixel of " + site.in(0));
    }

    private ImageLayout layout(OperationView site) {
        return site.flagged(site.at("layout"));
    }

    /** Channels, height and width of the whole images, padded. */
    private int[] image(OperationView site) {
        int[] image = ConvolutionGeometry.image((toSpace ? site.out() : site.in(0)).dimensions(), layout(site));
        if (!toSpace) {
            int[] paddings = site.ints(PADDINGS);
            image[1] += paddings[0] + paddings[1];
            image[2] += paddings[2] + paddings[3];
        }
        return image;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int[] block = site.ints(BLOCK);
        int[] image = image(site);
        boolean first = layout(site) == ImageLayout.NCHW;
        int batch = (toSpace ? site.out() : site.in(0)).dimension(0);
        int rows = image[1] / block[0];
        int columns = image[2] / block[1];
        int channels = image[0];
        if (toSpace) {
            int[] many = first
                    ? new int[] {block[0], block[1], batch, channels, rows, columns}
                    : new int[] {block[0], block[1], batch, rows, columns, channels};
            int[] order = first ? new int[] {2, 3, 4, 0, 5, 1} : new int[] {2, 3, 0, 4, 1, 5};
            int cut = translation.add(new ReshapeOp(many), translation.in(site, 0));
            translation.result(
                    site, new ReshapeOp(site.out().dimensions()), translation.add(new TransposeOp(order), cut));
            return;
        }
        int[] paddings = site.ints(PADDINGS);
        int height = first ? 2 : 1;
        int[] before = new int[4];
        int[] after = new int[4];
        before[height] = paddings[0];
        after[height] = paddings[1];
        before[height + 1] = paddings[2];
        after[height + 1] = paddings[3];
        int padded = translation.add(new PadOp(before, after, site.in(0).zeroPoint()), translation.in(site, 0));
        int[] whole = first
                ? new int[] {batch, channels, rows, block[0], columns, block[1]}
                : new int[] {batch, rows, block[0], columns, block[1], channels};
        int[] order = first ? new int[] {3, 5, 0, 1, 2, 4} : new int[] {2, 4, 0, 1, 3, 5};
        int cut = translation.add(new ReshapeOp(whole), padded);
        translation.result(site, new ReshapeOp(site.out().dimensions()), translation.add(new TransposeOp(order), cut));
    }
}
