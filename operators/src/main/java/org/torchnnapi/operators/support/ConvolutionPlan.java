package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.WindowAxis;

/**
 * Parameters of a convolution over 1 to 3 spatial dimensions, checked against input and weight.
 *
 * @param transposed weights are then {@code [in][out / groups]..}, otherwise {@code [out][in / groups]..}
 */
public record ConvolutionPlan(
        int[] stride, int[] padding, int[] dilation, boolean transposed, int[] outputPadding, int groups) {

    /**
     * Sizes of the result, batch and channels included.
     *
     * @throws IllegalArgumentException if the parameters and shapes do not fit
     */
    public int[] outputSizes(Tensor input, int[] weight) {
        int spatial = input.rank() - 2;
        if (spatial < 1 || weight.length != input.rank()) {
            throw new IllegalArgumentException("convolution: input of rank " + input.rank() + ", weight of rank "
                    + weight.length + " (expected: the same rank, 3 to 5)");
        }
        require("stride", stride, spatial, 1);
        require("padding", padding, spatial, 0);
        require("dilation", dilation, spatial, 1);
        require("output_padding", outputPadding, spatial, 0);
        int channels = input.sizes()[1];
        if (groups > 0 && weight[0] < groups) {
            throw new IllegalArgumentException("Given groups=" + groups + ", expected weight to be at least " + groups
                    + " at dimension 0, but got weight of size " + Arrays.toString(weight) + " instead");
        }
        int expected = transposed ? weight[0] : weight[1] * groups;
        if (groups < 1 || weight[0] % groups != 0 || channels != expected) {
            throw new IllegalArgumentException("Given groups=" + groups + ", weight of size " + Arrays.toString(weight)
                    + ", expected input" + Arrays.toString(input.sizes()) + " to have " + expected
                    + " channels, but got " + channels
                    + " channels instead");
        }
        int[] out = input.sizes().clone();
        // Of no channels PyTorch makes none.
        out[1] = channels == 0 ? 0 : outputs(weight);
        for (int i = 0; i < spatial; i++) {
            int in = input.sizes()[i + 2];
            int kernel = weight[i + 2];
            long reach = dilation[i] * (kernel - 1L) + 1;
            if (!transposed && in + 2L * padding[i] < reach) {
                throw new IllegalArgumentException("Calculated padded input size per channel: " + (in + 2L * padding[i])
                        + ". Kernel size: " + reach + ". Kernel size can't be greater than actual input size");
            }
            out[i + 2] = transposed
                    ? WindowAxis.transposed(
                                    in, kernel, stride[i], dilation[i], padding[i], padding[i], outputPadding[i])
                            .input()
                    : WindowAxis.of(in, kernel, stride[i], dilation[i], padding[i], padding[i])
                            .output();
        }
        return out;
    }

    /** Channels that a weight of these sizes gives. */
    public int outputs(int... weight) {
        return transposed ? weight[1] * groups : weight[0];
    }

    private static void require(String what, int[] values, int count, int least) {
        if (values.length != count || Arrays.stream(values).anyMatch(v -> v < least)) {
            throw new IllegalArgumentException(
                    what + ": " + Arrays.toString(values) + " (expected: " + count + " values >= " + least + ")");
        }
    }

    /** The two-dimensional geometry of one image; a one-dimensional convolution has a height of 1. */
    public ConvShape image(int[] input, int[] weight, int outChannels) {
        boolean flat = input.length == 3;
        int last = flat ? 0 : 1;
        ConvShape shape = new ConvShape(
                input[1],
                flat ? 1 : input[2],
                input[input.length - 1],
                outChannels,
                flat ? 1 : weight[2],
                weight[weight.length - 1],
                flat ? 1 : stride[0],
                stride[last],
                flat ? 1 : dilation[0],
                dilation[last],
                flat ? 0 : padding[0],
                flat ? 0 : padding[0],
                padding[last],
                padding[last],
                groups,
                false,
                0,
                0);
        return transposed ? shape.transposed(flat ? 0 : outputPadding[0], outputPadding[last]) : shape;
    }
}
