package org.torchnnapi.kernels.internal.vector;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A quantized convolution by the vector kernels over floats. Integers up to 2^24 are exact in a float; it covers those
 * convolutions whose sums stay within that, whatever their order, by their own weights and bias.
 */
final class VectorQuantizedConv implements QuantizedConvKernel {
    private static final long LARGEST_EXACT = 1 << 24;

    private final VectorConvBase kernel;
    private final ByteInput input;
    private final ByteOutput output;

    VectorQuantizedConv(QuantizedConvSpec spec) {
        FloatConvSpec floats = floats(spec);
        kernel = VectorDepthwise.covers(spec.shape()) ? new VectorDepthwise(floats) : new VectorConv(floats);
        input = new ByteInput(spec);
        output = new ByteOutput(spec);
    }

    static boolean covers(QuantizedConvSpec spec) {
        return (VectorDepthwise.covers(spec.shape()) || spec.shape().groups() == 1) && isExact(spec);
    }

    private static boolean isExact(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        int least = (spec.signedInput() ? -128 : 0) - spec.inputZeroPoint();
        int most = least + 255;
        for (int oc = 0; oc < shape.outC(); oc++) {
            long positive = 0;
            long negative = 0;
            for (int ic = 0; ic < shape.inC() / shape.groups(); ic++) {
                for (int tap = 0; tap < shape.kernelH() * shape.kernelW(); tap++) {
                    int weight = spec.weight(oc, ic, tap);
                    positive += Math.max(weight, 0);
                    negative += Math.min(weight, 0);
                }
            }
            // Part of the products lies between all those that add and all those that take away.
            long highest = positive * most + negative * least;
            long lowest = positive * least + negative * most;
            if (Math.max(highest, -lowest) + Math.abs((long) spec.bias()[oc]) > LARGEST_EXACT) {
                return false;
            }
        }
        return true;
    }

    /**
     * The same over floats. Its layouts say only that nothing is read or written in place, whatever those of the bytes.
     */
    static FloatConvSpec floats(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        float[] weights = new float[spec.weights().values().length];
        float[] bias = new float[shape.outC()];
        for (int oc = 0; oc < shape.outC(); oc++) {
            bias[oc] = spec.bias()[oc];
            for (int ic = 0; ic < shape.inC() / shape.groups(); ic++) {
                for (int tap = 0; tap < shape.kernelH() * shape.kernelW(); tap++) {
                    weights[FloatConvSpec.weightIndex(shape, oc, ic, tap)] = spec.weight(oc, ic, tap);
                }
            }
        }
        return new FloatConvSpec(shape, ImageLayout.NHWC, ImageLayout.NHWC, Weights.of(weights), bias, Activation.NONE);
    }

    @Override
    public int units() {
        return kernel.units();
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        runFinishing(in, inOffset, null, 0, null, out, outOffset, begin, end);
    }

    @Override
    public void runFinishing(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        kernel.run(
                new ByteImages(input, in, inOffset, output, out, outOffset, residual, residualOffset, after),
                begin,
                end);
    }
}
