package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * The inverted residual block of MobileNetV2: a pointwise convolution that widens, a depthwise one, a pointwise one
 * that narrows, and the sum with a residual, done together so that the wide images between them need not leave the
 * caches. The results are those of the stages one after the other.
 */
public final class FloatChain {
    private final int inSize;
    private final int outSize;
    private final FloatConvKernel kernel;

    private FloatChain(int inSize, int outSize, FloatConvKernel kernel) {
        this.inSize = inSize;
        this.outSize = outSize;
        this.kernel = kernel;
    }

    /**
     * One convolution of the chain; the parameters are those of {@link FloatConv#plan}.
     *
     * @param bias one an output channel, or null for none
     */
    public record Stage(ConvShape shape, Weights weights, float[] bias, Activation activation) {
        public Stage(ConvShape shape, float[] weights, float[] bias, Clamp clamp) {
            this(shape, Weights.of(weights), bias, Activation.of(clamp));
        }
    }

    /**
     * Whether a chain about this depthwise stage is faster than its stages on their own with this machine's kernels; it
     * works in any case.
     *
     * @param weights of the other stages, in number
     */
    public static boolean pays(ConvShape depthwise, long weights) {
        return Kernels.floats(depthwise).fusesChain(depthwise, weights);
    }

    /**
     * Packs the weights, or finds what was packed of them for another plan.
     *
     * @param expand any convolution of one group, not transposed, such as a pointwise one that widens or the first of a
     *     network; null to begin with the depthwise stage
     * @param project pointwise; null to end with the depthwise stage
     * @throws IllegalArgumentException if a stage is of another kind or does not take what the one before gives
     */
    public static FloatChain plan(Stage expand, Stage depthwise, Stage project, ImageLayout in, ImageLayout out) {
        ConvShape middle = depthwise.shape;
        middle.requireDepthwise();
        ImageLayout between = Kernels.preferredFloatLayout();
        FloatConvSpec first = null;
        FloatConvSpec last = null;
        if (expand != null) {
            if (expand.shape.groups() != 1 || expand.shape.transposed()) {
                throw new IllegalArgumentException(
                        "expand stage: " + expand.shape + " (expected: one group, not transposed)");
            }
            middle.requireInputFrom(expand.shape);
            first = spec(expand, in, between);
        }
        if (project != null) {
            project.shape.requirePointwise("project");
            project.shape.requireInputFrom(middle);
            last = spec(project, between, out);
        }
        FloatConvSpec inner = spec(depthwise, expand == null ? in : between, project == null ? out : between);
        ConvShape begin = expand == null ? middle : expand.shape;
        ConvShape end = project == null ? middle : project.shape;
        return new FloatChain(
                in.size(begin.inC(), begin.inH(), begin.inW()),
                out.size(end.outC(), end.outH(), end.outW()),
                Kernels.floats(begin, middle, end).chain(new FloatChainSpec(first, inner, last)));
    }

    static FloatConvSpec spec(Stage stage, ImageLayout in, ImageLayout out) {
        return FloatConv.check(stage.shape, in, out, stage.weights, stage.bias, stage.activation, Precision.FLOAT32);
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /**
     * Does units [begin, end) of one image. The output does not overlap the input.
     *
     * @param residual an image like the output, added before the last stage's activation; it may be the output itself;
     *     null for none
     */
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        check(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
        kernel.run(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    /**
     * As {@link #run}, of the same images by the thread that did the units before {@code begin} last, and no chain
     * since: the wide rows that it still has are not computed again.
     */
    public void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        check(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
        kernel.resume(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    private void check(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, inSize);
        Check.room("output", out.length, outOffset, outSize);
        if (residual != null) {
            Check.room("residual", residual.length, residualOffset, outSize);
        }
        Check.range(begin, end, kernel.units());
    }

    /** Does a whole image over the threads of a pool. */
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            KernelPool pool) {
        pool.run(units(), true, new KernelPool.Task() {
            @Override
            public void run(int begin, int end) {
                FloatChain.this.run(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
            }

            @Override
            public void resume(int begin, int end) {
                FloatChain.this.resume(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
            }
        });
    }
}
