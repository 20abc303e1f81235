package org.torchnnapi.torchscript.aten.support;

import java.util.Arrays;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Scales, zero points and biases of quantized products, one for all output channels or one each. */
public final class Requantizing {
    private Requantizing() {
    }

    /** Input scale times weight scale in float32. */
    public static float[] products(double inputScale, Tensor weight, int channels) {
        if (weight.quantization() instanceof Quantization.PerChannel c) {
            if (c.scales().length != channels) {
                throw new IllegalArgumentException("weight scales: " + c.scales().length + " (expected: one per output channel, "
                    + channels + ")");
            }
            float[] out = new float[channels];
            for (int i = 0; i < channels; i++) {
                out[i] = (float) (inputScale * c.scales()[i]);
            }
            return out;
        }
        return new float[] {(float) (inputScale * Quantized.perTensor(weight).scale())};
    }

    /** What a sum is multiplied by. */
    public static float[] scales(float[] products, double outputScale) {
        float[] out = new float[products.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = products[i] / (float) outputScale;
        }
        return out;
    }

    /** The bias in units of the products, rounded half to even; zeros if there is none. */
    public static int[] bias(Tensor bias, float[] products, int channels) {
        int[] out = new int[channels];
        if (bias != null) {
            if (bias.numel() != channels) {
                throw new IllegalArgumentException("bias: " + bias.numel() + " (expected: one per output channel, " + channels + ")");
            }
            float[] values = Elements.floats(Quantized.dequantize(bias));
            for (int i = 0; i < channels; i++) {
                out[i] = (int) Math.rint(values[i] / products[products.length == 1 ? 0 : i]);
            }
        }
        return out;
    }

    /** One zero point, or one a channel. */
    public static int[] zeroPoints(Tensor weight) {
        if (weight.quantization() instanceof Quantization.PerChannel c) {
            return Arrays.stream(c.zeroPoints()).mapToInt(z -> (int) z).toArray();
        }
        return new int[] {Quantized.perTensor(weight).zeroPoint()};
    }

    /** Row-major integers less their zero point. */
    public static double[] centred(Tensor t) {
        int[] zeroPoints = zeroPoints(t);
        double[] out = Elements.doubles(t);
        int inner = 1;
        if (t.quantization() instanceof Quantization.PerChannel c) {
            for (int d = c.axis() + 1; d < t.rank(); d++) {
                inner *= t.sizes()[d];
            }
        }
        for (int i = 0; i < out.length; i++) {
            out[i] -= zeroPoints[i / inner % zeroPoints.length];
        }
        return out;
    }
}
