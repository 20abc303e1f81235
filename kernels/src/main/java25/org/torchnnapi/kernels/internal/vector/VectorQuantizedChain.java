package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.internal.ChainProfit;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A chain of quantized convolutions row by row over floats, as exact as {@link VectorQuantizedConv}. What lies between
 * the stages never becomes bytes: sums are rounded and limited as floats, which are the next stage's inputs less their
 * zero point. Of the widened image only the rows under the depthwise kernel are kept, in a ring.
 */
final class VectorQuantizedChain implements QuantizedChainKernel {
    /** Between the stages are floats. */
    private static final ChainProfit PROFIT = new ChainProfit(Float.BYTES, 28, 0);

    private final QuantizedChainSpec spec;
    private final ConvShape shape;
    private final ByteInput input;
    private final ByteOutput output;
    private final PointwiseRow expand;
    private final DepthwiseRow depthwise;
    private final PointwiseRow project;
    private final float[] weights;
    private final float[] bias;
    /** By the slot of the ring where the uppermost row under the kernel is: where the taps are. */
    private final int[][] taps;
    /** Of the depthwise stage's sums, unless they are the chain's; else null. */
    private final RuleLanes rule;

    private final int blocks;
    private final int ringRows;
    private final int ringColumns;
    /** Where the parts of the scratch memory begin, the sums of the last stage at 0. */
    private final int inputRow;

    private final int ring;
    private final int narrowRow;
    private final int scratchSize;

    VectorQuantizedChain(QuantizedChainSpec spec) {
        this.spec = spec;
        List<QuantizedConvSpec> stages = spec.stages();
        int middle = middle(stages);
        QuantizedConvSpec first = stages.get(0);
        QuantizedConvSpec last = stages.get(stages.size() - 1);
        FloatConvSpec wide = VectorQuantizedConv.floats(stages.get(middle));
        shape = wide.shape();
        input = new ByteInput(first);
        output = new ByteOutput(last);
        blocks = blocks(shape.inC());
        ringRows = (shape.kernelH() - 1) * shape.dilationH() + 1;
        ringColumns = DepthwiseRow.stagedCols(shape);
        weights = DepthwiseRow.packWeights(wide);
        bias = Arrays.copyOf(wide.bias(), blocks * V);
        taps = new int[ringRows][];
        for (int slot = 0; slot < ringRows; slot++) {
            int from = slot;
            taps[slot] = DepthwiseRow.taps(
                    shape,
                    IntStream.range(0, ringRows)
                            .map(r -> (from + r) % ringRows * ringColumns * V)
                            .toArray());
        }
        expand = middle == 0
                ? null
                : new PointwiseRow(VectorQuantizedConv.floats(first), shape.inW(), ringStep(), rule(first));
        boolean projects = middle < stages.size() - 1;
        depthwise = new DepthwiseRow(shape, Activation.NONE);
        rule = projects ? rule(stages.get(middle)) : null;
        project = projects
                ? new PointwiseRow(VectorQuantizedConv.floats(last), shape.outW(), shape.outW() * V, null)
                : null;
        inputRow = blocks(last.shape().outC()) * shape.outW() * V;
        ring = inputRow + (expand == null ? 0 : blocks(first.shape().inC()) * shape.inW() * V);
        narrowRow = ring + blocks * ringStep();
        scratchSize = Math.addExact(narrowRow, Math.multiplyExact(blocks * shape.outW(), V));
    }

    private static RuleLanes rule(QuantizedConvSpec stage) {
        return new RuleLanes(stage.requantization(), stage.shape().outC());
    }

    private static int blocks(int channels) {
        return (channels + V - 1) / V;
    }

    /** Which stage is the depthwise one: the only one that may be other than pointwise, and the second of three. */
    private static int middle(List<QuantizedConvSpec> stages) {
        return stages.size() == 3 || !VectorDepthwise.covers(stages.get(0).shape()) ? 1 : 0;
    }

    /** Whether a chain about that depthwise convolution is faster than its stages. */
    static boolean pays(ConvShape depthwise, long weights) {
        return ByteLanes.SUPPORTED
                && VectorDepthwise.covers(depthwise)
                && PROFIT.pays(Machine.current(), depthwise, weights)
                && isWide(depthwise);
    }

    private static boolean isWide(ConvShape depthwise) {
        return Math.min(depthwise.inW(), depthwise.outW()) >= DepthwiseTile1.PIXELS;
    }

    static boolean covers(QuantizedChainSpec spec) {
        List<QuantizedConvSpec> stages = spec.stages();
        ConvShape middle = stages.get(middle(stages)).shape();
        if (!ByteLanes.SUPPORTED || spec.looksUp() || !VectorDepthwise.covers(middle) || !isWide(middle)) {
            return false;
        }
        for (int i = 0; i < stages.size(); i++) {
            if (!VectorQuantizedConv.covers(stages.get(i))
                    || i > 0 && !readsAsWritten(stages.get(i - 1).requantization(), stages.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether a stage takes the bytes that the one before gives for the same numbers. */
    private static boolean readsAsWritten(Requantization before, QuantizedConvSpec stage) {
        int least = stage.signedInput() ? -128 : 0;
        return stage.inputZeroPoint() == before.zeroPoint() && before.min() >= least && before.max() <= least + 255;
    }

    /** Rows of the output. */
    @Override
    public int units() {
        return shape.outH();
    }

    private int ringStep() {
        return Math.multiplyExact(ringRows * ringColumns, V);
    }

    @Override
    public void run(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        VectorScratch scratch = VectorScratch.get();
        float[] floats = scratch.input(scratchSize);
        ByteImages images =
                new ByteImages(input, in, inOffset, output, out, outOffset, residual, residualOffset, spec.after());
        Arrays.fill(floats, ring, narrowRow, 0f);
        int ready = Integer.MIN_VALUE;
        for (int row = begin; row < end; row++) {
            int firstRow = row * shape.strideH() - shape.padTop();
            for (int y = Math.max(ready, firstRow); y < firstRow + ringRows; y++) {
                widen(images, floats, y, scratch.sums);
            }
            ready = firstRow + ringRows;
            convolve(floats, Math.floorMod(firstRow, ringRows));
            finish(images, floats, row, scratch);
        }
    }

    /** Makes row y of the depthwise stage's input, which may lie outside the image. */
    private void widen(ByteImages images, float[] floats, int y, float[] sums) {
        int place = ring + Math.floorMod(y, ringRows) * ringColumns * V;
        if (y < 0 || y >= shape.inH()) {
            for (int b = 0; b < blocks; b++) {
                Arrays.fill(floats, place + b * ringStep(), place + b * ringStep() + ringColumns * V, 0f);
            }
            return;
        }
        ConvShape first = spec.stages().get(0).shape();
        int target = expand == null ? place + shape.padLeft() * V : inputRow;
        int step = expand == null ? ringStep() : shape.inW() * V;
        for (int b = 0; b < blocks(first.inC()); b++) {
            images.widen(b * V, y * shape.inW(), 1, V, floats, target + b * step, shape.inW());
        }
        if (expand != null) {
            expand.run(floats, inputRow, floats, place + shape.padLeft() * V, sums);
        }
    }

    private void convolve(float[] floats, int slot) {
        for (int b = 0; b < blocks; b++) {
            int at = narrowRow + b * shape.outW() * V;
            depthwise.run(
                    floats,
                    ring + b * ringStep(),
                    taps[slot],
                    weights,
                    b * shape.kernelH() * shape.kernelW() * V,
                    bias,
                    b * V,
                    floats,
                    at);
            if (rule != null) {
                rule.round(floats, at, b * V, shape.outW());
            }
        }
    }

    private void finish(ByteImages images, float[] floats, int row, VectorScratch scratch) {
        int sums = project == null ? narrowRow : 0;
        if (project != null) {
            project.run(floats, narrowRow, floats, 0, scratch.sums);
        }
        int channels = project == null
                ? shape.outC()
                : spec.stages().get(spec.stages().size() - 1).shape().outC();
        for (int c = 0; c < channels; c += V) {
            images.narrow(floats, sums + c / V * shape.outW() * V, V, c, row * shape.outW(), 1, shape.outW(), scratch);
        }
        images.finish(0, channels, row * shape.outW(), 1, shape.outW());
    }
}
