package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.Arrangement;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.Weights;

/**
 * A three-dimensional convolution of floats over volumes that lie as batches of their slices, {@code [volumes * depth, C, H, W]}: each
 * slice of the result is a sum of two-dimensional convolutions, one of each slice of the kernel. Inputs: the slices and, if there is a second,
 * what is added to the result before the activation.
 *
 * @param shape of the two-dimensional convolutions
 * @param taps by slice of the result, then by slice of the kernel, the slice of the input that they meet at; -1 for none. At least one meets
 * @param depth slices of an input volume
 * @param weights {@code [outC][inC / groups][kernelD][kernelH][kernelW]}; transposed {@code [inC][outC / groups]..}
 * @param bias one an output channel, or null for none
 */
public record VolumeConvolution(ConvShape shape, int[][] taps, int depth, Weights weights, float[] bias, Activation activation)
        implements Convolving {
    public VolumeConvolution {
        if (taps.length == 0 || taps[0].length == 0) {
            throw new IllegalArgumentException("taps: none (expected: some of each slice of the result)");
        }
        for (int[] slice : taps) {
            int met = 0;
            for (int tap : slice) {
                if (tap < -1 || tap >= depth) {
                    throw new IllegalArgumentException("tap: " + tap + " (expected: -1, or within the " + depth + " slices)");
                }
                met += tap >= 0 ? 1 : 0;
            }
            if (met == 0 || slice.length != taps[0].length) {
                throw new IllegalArgumentException("taps: " + met + " of " + slice.length + " in the volume (expected: at least one of "
                        + taps[0].length + ")");
            }
        }
        int kernel = taps[0].length;
        Products.check(shape, ImageLayout.NCHW, weights.length() % kernel == 0 ? weights.length() / kernel : -1,
                bias == null ? shape.outC() : bias.length);
    }

    @Override
    public ImageLayout order() {
        return ImageLayout.NCHW;
    }

    @Override
    public Convolving with(Weights newWeights, float[] newBias, Activation newActivation) {
        return new VolumeConvolution(shape, taps, depth, newWeights, newBias, newActivation);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 1, 2);
        int slices = Require.batch(Require.floats("input", inputs.get(0)), ImageLayout.NCHW, shape.inC(), shape.inH(), shape.inW());
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
    public Arrangement arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage output = shape.outH() * shape.outW() == 1 ? ImageStorage.DECLARED
                : ImageStorage.of(ImageLayout.NCHW, Kernels.preferredFloatLayout());
        ImageStorage input = Require.suited(actual[0], ImageLayout.NCHW);
        return new Arrangement(inputs.size() == 1 ? new ImageStorage[] {input} : new ImageStorage[] {input, output}, output);
    }

    /** For each slice of the result the slice of the kernel that is taken last, with bias and activation: the same for as many as can be. */
    private int[] last() {
        int best = 0;
        int most = -1;
        for (int k = 0; k < taps[0].length; k++) {
            int met = 0;
            for (int[] slice : taps) {
                met += slice[k] >= 0 ? 1 : 0;
            }
            if (met > most) {
                most = met;
                best = k;
            }
        }
        int[] last = new int[taps.length];
        for (int o = 0; o < last.length; o++) {
            last[o] = best;
            for (int k = 0; taps[o][last[o]] < 0; k++) {
                last[o] = k;
            }
        }
        return last;
    }

    /** The weights of one slice of the kernel. */
    private float[] slice(float[] all, int k) {
        int kernel = taps[0].length;
        int plane = shape.kernelH() * shape.kernelW();
        float[] slice = new float[all.length / kernel];
        for (int i = 0; i < slice.length / plane; i++) {
            System.arraycopy(all, (i * kernel + k) * plane, slice, i * plane, plane);
        }
        return slice;
    }

    @Override
    public Step compile(Operands operands) {
        Operand in = operands.in(0);
        Operand out = operands.out();
        ImageLayout from = in.storage().layout(ImageLayout.NCHW, in.type());
        ImageLayout to = out.storage().layout(ImageLayout.NCHW, out.type());
        int kernel = taps[0].length;
        int[] last = last();
        FloatConv[] partial = new FloatConv[kernel];
        FloatConv[] whole = new FloatConv[kernel];
        float[] all = weights.values();
        int units = Integer.MAX_VALUE;
        for (int k = 0; k < kernel; k++) {
            for (int o = 0; o < taps.length; o++) {
                FloatConv[] wanted = last[o] == k ? whole : partial;
                if (taps[o][k] >= 0 && wanted[k] == null) {
                    wanted[k] = wanted == whole ? FloatConv.plan(shape, from, to, slice(all, k), bias, activation)
                            : FloatConv.plan(shape, from, to, slice(all, k), null, Activation.of(Clamp.NONE));
                    units = Math.min(units, wanted[k].units());
                }
            }
        }
        int shares = units;
        int volumes = in.type().dimension(0) / depth;
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        Operand addend = operands.count() == 1 ? null : operands.in(1);
        return Step.images(volumes * taps.length, shares, memory -> {
            float[] source = in.floats(memory);
            float[] target = out.floats(memory);
            return (image, begin, end) -> {
                int slice = image % taps.length;
                int volume = in.at(memory) + image / taps.length * depth * inSize;
                int outAt = out.at(memory) + image * outSize;
                float[] sum = addend == null ? null : addend.floats(memory);
                int sumAt = addend == null ? 0 : addend.at(memory) + image * outSize;
                for (int i = 0; i <= kernel; i++) {
                    int k = i == kernel ? last[slice] : i;
                    if (taps[slice][k] < 0 || i == last[slice]) {
                        continue;
                    }
                    FloatConv conv = i == kernel ? whole[k] : partial[k];
                    // Plans may differ in how many shares they have; the last share has what others lack.
                    int stop = end == shares ? conv.units() : end;
                    int inAt = volume + taps[slice][k] * inSize;
                    if (sum == null) {
                        conv.run(source, inAt, target, outAt, begin, stop);
                    } else {
                        conv.runAdding(source, inAt, sum, sumAt, target, outAt, begin, stop);
                    }
                    sum = target;
                    sumAt = outAt;
                }
            };
        }).joined((long) volumes * weights.length() * shape.outH() * shape.outW() * taps.length);
    }

    @Override
    public String label() {
        return "volume " + taps[0].length + "x" + Products.label(shape) + Products.label(activation);
    }
}
