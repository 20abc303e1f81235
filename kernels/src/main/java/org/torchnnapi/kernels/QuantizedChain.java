package org.torchnnapi.kernels;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * The inverted residual block of MobileNetV2 over bytes: a pointwise convolution that widens, a depthwise one, a
 * pointwise one that narrows, and the sum with a residual, done together so that the wide images between them stay in a
 * cache. Every byte equals what the stages give one after the other.
 */
public final class QuantizedChain {
    private final int inSize;
    private final int outSize;
    private final boolean adds;
    private final QuantizedChainKernel kernel;

    private QuantizedChain(int inSize, int outSize, boolean adds, QuantizedChainKernel kernel) {
        this.inSize = inSize;
        this.outSize = outSize;
        this.adds = adds;
        this.kernel = kernel;
    }

    /**
     * One convolution of the chain; the parameters are those of {@link QuantizedConv#plan}.
     *
     * @param signedInput how this stage reads the bytes that the one before wrote
     * @param bias null for none
     */
    public record Stage(
            ConvShape shape,
            boolean signedInput,
            int inputZeroPoint,
            QuantizedWeights weights,
            int[] bias,
            Requantization requantization) {}

    /**
     * Whether a chain about this depthwise stage is faster than its stages on their own with this machine's kernels; it
     * works in any case.
     *
     * @param weights of the other stages, in number
     */
    public static boolean pays(ConvShape depthwise, long weights) {
        return Kernels.quantized(depthwise).fusesChain(depthwise, weights);
    }

    /**
     * Whether a chain of only the pointwise convolution before this depthwise stage and itself, whose units are groups
     * of channels, is faster with this machine's kernels than one with what is behind, and than each on its own.
     * Threads then read each their own weights, and no row twice.
     */
    public static boolean paysByChannels(ConvShape depthwise, long weights) {
        return Kernels.quantized(depthwise).widensByChannels(depthwise, weights);
    }

    /**
     * Packs the weights.
     *
     * @param expand pointwise; null to begin with the depthwise stage
     * @param project pointwise; null to end with the depthwise stage
     * @param sum adds the residual, its second input, to the last stage's output, its first; null for none
     * @throws IllegalArgumentException if a stage is of another kind or does not take what the one before gives
     */
    public static QuantizedChain plan(
            Stage expand, Stage depthwise, Stage project, ImageLayout in, ImageLayout out, QuantizedSum sum) {
        List<Stage> stages = new ArrayList<>();
        if (expand != null) {
            expand.shape.requirePointwise("expand");
            stages.add(expand);
        }
        depthwise.shape.requireDepthwise();
        stages.add(depthwise);
        if (project != null) {
            project.shape.requirePointwise("project");
            stages.add(project);
        }
        List<QuantizedConvSpec> specs = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            Stage stage = stages.get(i);
            if (i > 0) {
                stage.shape.requireInputFrom(stages.get(i - 1).shape);
            }
            // Between stages channels lie together, which suits every provider's quantized kernels best.
            ImageLayout from = i == 0 ? in : ImageLayout.NHWC;
            ImageLayout to = i == stages.size() - 1 ? out : ImageLayout.NHWC;
            specs.add(QuantizedConv.check(
                    stage.shape,
                    from,
                    to,
                    stage.signedInput,
                    stage.inputZeroPoint,
                    stage.weights,
                    stage.bias,
                    stage.requantization));
        }
        ConvShape first = stages.get(0).shape;
        Stage end = stages.get(stages.size() - 1);
        ConvShape last = end.shape;
        return new QuantizedChain(
                in.size(first.inC(), first.inH(), first.inW()),
                out.size(last.outC(), last.outH(), last.outW()),
                sum != null,
                Kernels.quantized(first, depthwise.shape, last)
                        .chain(new QuantizedChainSpec(specs, ByteTable.before(end.requantization.table(), sum))));
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /**
     * Does units [begin, end) of one image.
     *
     * @param residual an image like the output that does not overlap it; null (and ignored) where the chain was planned
     *     without a sum
     */
    public void run(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
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
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        check(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
        kernel.resume(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    private void check(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, inSize);
        Check.room("output", out.length, outOffset, outSize);
        if (adds) {
            Check.room("residual", residual == null ? 0 : residual.length, residualOffset, outSize);
        }
        Check.range(begin, end, kernel.units());
    }

    /** Does a whole image over the threads of a pool. */
    public void run(
            byte[] in, int inOffset, byte[] residual, int residualOffset, byte[] out, int outOffset, KernelPool pool) {
        pool.run(units(), true, new KernelPool.Task() {
            @Override
            public void run(int begin, int end) {
                QuantizedChain.this.run(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
            }

            @Override
            public void resume(int begin, int end) {
                QuantizedChain.this.resume(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
            }
        });
    }
}
