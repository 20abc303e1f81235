package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;

/**
 * What the chains of either element have in common: their stages run one after the other over whole images, as one
 * unit.
 *
 * @param <A> the array type of the images
 */
abstract class StagedChainBase<A> {
    private final int[] outSizes;

    /** @param outSizes elements of each stage's output */
    StagedChainBase(int[] outSizes) {
        this.outSizes = outSizes;
    }

    static int outSize(ConvShape shape, ImageLayout out) {
        return out.size(shape.outC(), shape.outH(), shape.outW());
    }

    /** One of the thread's two images between stages, of at least so many elements. */
    abstract A between(int which, int size);

    /** All of a stage that is not the last; its output begins with the array. */
    abstract void stage(int index, A in, int inOffset, A out);

    abstract void lastStage(A in, int inOffset, A residual, int residualOffset, A out, int outOffset);

    public final int units() {
        return 1;
    }

    public final void run(
            A in, int inOffset, A residual, int residualOffset, A out, int outOffset, int begin, int end) {
        if (begin == end) {
            return;
        }
        A from = in;
        int fromOffset = inOffset;
        for (int i = 0; i < outSizes.length - 1; i++) {
            A to = between(i % 2, outSizes[i]);
            stage(i, from, fromOffset, to);
            from = to;
            fromOffset = 0;
        }
        lastStage(from, fromOffset, residual, residualOffset, out, outOffset);
    }
}
