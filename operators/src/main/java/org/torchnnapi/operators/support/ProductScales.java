package org.torchnnapi.operators.support;

import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * Scales of a product of a quantized input and quantized weights, one for all output channels or one each.
 *
 * @param products   input scale times weight scale, what a unit of the 32-bit sums is worth
 * @param factors    the same over the output's scale
 * @param zeroPoints of the weights
 */
public record ProductScales(float[] products, float[] factors, int[] zeroPoints) {
    public static ProductScales of(Tensor weight, double inputScale, double outputScale) {
        double[] scales;
        int[] zeroPoints;
        if (weight.quantization() instanceof Quantization.PerChannel q) {
            scales = q.scales();
            zeroPoints = new int[scales.length];
            for (int i = 0; i < scales.length; i++) {
                zeroPoints[i] = (int) q.zeroPoints()[i];
            }
        } else {
            Quantization.PerTensor q = Quantized.perTensor(weight);
            scales = new double[] {q.scale()};
            zeroPoints = new int[] {q.zeroPoint()};
        }
        float[] products = new float[scales.length];
        float[] factors = new float[scales.length];
        for (int i = 0; i < scales.length; i++) {
            products[i] = (float) (inputScale * scales[i]);
            factors[i] = products[i] / (float) outputScale;
        }
        return new ProductScales(products, factors, zeroPoints);
    }

    /** The bias in units of the product's scale, rounded half to even. */
    public int[] bias(Tensor bias, int channels) {
        if (bias == null) {
            return null;
        }
        float[] values = bias.toFloatArray();
        if (values.length != channels) {
            throw new IllegalArgumentException("bias: " + bias + " (expected: " + channels + " numbers, one an output channel)");
        }
        int[] integers = new int[channels];
        for (int c = 0; c < channels; c++) {
            integers[c] = (int) Math.rint(values[c] / products[products.length == 1 ? 0 : c]);
        }
        return integers;
    }

    /** QNNPACK's rule for the sums, with ReLU in its limits if there is one. */
    public Requantization requantization(int zeroPoint, DType type, boolean relu) {
        int least = (int) Quantized.least(type);
        return Requantization.halfEven(factors, zeroPoint, relu ? Math.max(zeroPoint, least) : least, (int) Quantized.greatest(type));
    }
}
