package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.Arrangement;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.Weights;

/**
 * A three-dimensional convolution of floats over volumes that lie as batches of their slices, {@code [volumes * depth, C, H, W]}: each
 * slice of the result is made of slices of the input, one for each slice of the kernel. Inputs: the slices and, if there is a second,
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
        ImageStorage input = Products.storage(shape, ImageLayout.NCHW, actual[0]);
        return new Arrangement(inputs.size() == 1 ? new ImageStorage[] {input} : new ImageStorage[] {input, output}, output);
    }

    @Override
    public Step compile(Operands operands) {
        return JoinedSlices.covers(this, operands) ? JoinedSlices.step(this, operands) : SummedSlices.step(this, operands);
    }

    @Override
    public String label() {
        return "volume " + taps[0].length + "x" + Products.label(shape) + Products.label(activation);
    }
}
