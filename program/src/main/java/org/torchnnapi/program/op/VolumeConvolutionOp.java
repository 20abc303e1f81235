package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A three-dimensional convolution of floats over volumes that lie as batches of their slices, {@code [volumes * depth,
 * C, H, W]}: each slice of the result is made of slices of the input, one for each slice of the kernel. Inputs: the
 * slices and, if there is a second, what is added to the result before the activation.
 *
 * @param shape of the two-dimensional convolutions
 * @param taps by slice of the result, then by slice of the kernel, the slice of the input that they meet at; -1 for
 *     none. At least one meets
 * @param depth slices of an input volume
 * @param weights {@code [outC][inC / groups][kernelD][kernelH][kernelW]}; transposed {@code [inC][outC / groups]..}
 * @param bias one an output channel, or null for none
 */
public record VolumeConvolutionOp(
        ConvShape shape, int[][] taps, int depth, Weights weights, float[] bias, Activation activation)
        implements Convolving {
    public VolumeConvolutionOp {
        if (taps.length == 0 || taps[0].length == 0) {
            throw new IllegalArgumentException("taps: none (expected: some of each slice of the result)");
        }
        for (int[] slice : taps) {
            int met = 0;
            for (int tap : slice) {
                if (tap < -1 || tap >= depth) {
                    throw new IllegalArgumentException(
                            "tap: " + tap + " (expected: -1, or within the " + depth + " slices)");
                }
                met += tap >= 0 ? 1 : 0;
            }
            if (met == 0 || slice.length != taps[0].length) {
                throw new IllegalArgumentException("taps: " + met + " of " + slice.length
                        + " in the volume (expected: at least one of " + taps[0].length + ")");
            }
        }
        int kernel = taps[0].length;
        WeightProducts.check(
                shape,
                ImageLayout.NCHW,
                weights.length() % kernel == 0 ? weights.length() / kernel : -1,
                bias == null ? shape.outC() : bias.length);
    }

    @Override
    public ImageLayout order() {
        return ImageLayout.NCHW;
    }

    @Override
    public Convolving with(Weights newWeights, float[] newBias, Activation newActivation) {
        return new VolumeConvolutionOp(shape, taps, depth, newWeights, newBias, newActivation);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 1, 2);
        int slices = Require.batch(
                Require.floats("input", inputs.get(0)), ImageLayout.NCHW, shape.inC(), shape.inH(), shape.inW());
        if (slices % depth != 0) {
            throw new IllegalArgumentException("slices: " + slices + " (expected: volumes of " + depth + ")");
        }
        ValueType result = ValueType.floats(slices / depth * taps.length, shape.outC(), shape.outH(), shape.outW());
        if (inputs.size() == 2) {
            Require.sameShape("addend", Require.floats("addend", inputs.get(1)), result.shape());
        }
        return result;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage output = shape.outH() * shape.outW() == 1
                ? ImageStorage.DECLARED
                : ImageStorage.of(ImageLayout.NCHW, Kernels.preferredFloatLayout());
        ImageStorage input = WeightProducts.storage(shape, ImageLayout.NCHW, actual[0]);
        return new LayoutAssignment(
                inputs.size() == 1 ? new ImageStorage[] {input} : new ImageStorage[] {input, output}, output);
    }

    @Override
    public Step compile(Operands operands) {
        return JoinedSlices.covers(this, operands)
                ? JoinedSlices.step(this, operands)
                : SummedSlices.step(this, operands);
    }

    /**
     * Of a convolution the part in shares [begin, end) of so many; one that can be cut into more does what is left in
     * the last.
     *
     * @param added null for nothing to add
     */
    static void run(
            FloatConv conv,
            float[] in,
            int inAt,
            float[] added,
            int addedAt,
            float[] out,
            int outAt,
            int begin,
            int end,
            int shares) {
        int stop = end == shares ? conv.units() : end;
        if (added == null) {
            conv.run(in, inAt, out, outAt, begin, stop);
        } else {
            conv.runAdding(in, inAt, added, addedAt, out, outAt, begin, stop);
        }
    }

    /**
     * Computes shares [begin, end) of a slice of the result from the volume that begins at {@code volume};
     * {@code added} is null for nothing to add.
     */
    @FunctionalInterface
    interface SliceTask {
        void run(
                int slice,
                float[] in,
                int volume,
                float[] added,
                int addedAt,
                float[] out,
                int outAt,
                int begin,
                int end);
    }

    /** @param shares of a slice, no more than any of its convolutions can be cut into */
    Step step(Operands operands, int shares, SliceTask task) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        PlacedValue addend = operands.count() == 1 ? null : operands.in(1);
        int slices = taps.length;
        int volumes = in.type().dimension(0) / depth;
        int volumeSize = in.imageSize() * depth;
        int outSize = out.imageSize();
        return Step.images(volumes * slices, shares, memory -> {
                    float[] from = in.floats(memory);
                    float[] to = out.floats(memory);
                    float[] added = addend == null ? null : addend.floats(memory);
                    return (image, begin, end) -> task.run(
                            image % slices,
                            from,
                            in.at(memory) + image / slices * volumeSize,
                            added,
                            addend == null ? 0 : addend.at(memory) + image * outSize,
                            to,
                            out.at(memory) + image * outSize,
                            begin,
                            end);
                })
                .joined((long) volumes * weights.length() * shape.outH() * shape.outW() * slices);
    }

    @Override
    public String label() {
        return "volume " + taps[0].length + "x" + WeightProducts.label(shape) + WeightProducts.label(activation);
    }
}
