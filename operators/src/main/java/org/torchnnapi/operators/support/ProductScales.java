package org.torchnnapi.operators.support;

import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * Scales of a product of a quantized input and quantized weights, one for all output channels or one each, rounded
 * where PyTorch rounds them (QnnpackUtils.h and QuantUtils.h of 1.13): one step more or less decides ties of the sums'
 * rounding.
 *
 * @param products weight scale times input scale as floats, what a unit of the 32-bit sums is worth
 * @param factors what a sum is multiplied by: the product times the output scale's reciprocal; over the output scale
 *     for signed inputs, which PyTorch leaves to XNNPACK
 * @param biasSteps what a bias is multiplied by to count the units: the reciprocal of the product, which is a double
 *     here before it is rounded
 * @param zeroPoints of the weights
 */
public record ProductScales(float[] products, float[] factors, float[] biasSteps, int[] zeroPoints) {
    /** @param input its element type */
    public static ProductScales of(Tensor weight, DType input, double inputScale, double outputScale) {
        double[] scales;
        int[] zeroPoints;
        if (weight.quantization() instanceof Quantization.PerChannel q) {
            scales = q.scales();
            zeroPoints = new int[scales.length];
            for (int i = 0; i < scales.length; i++) {
                zeroPoints[i] = (int) q.zeroPoints()[i];
            }
        } else {
            Quantization.PerTensor q = QuantizedMath.perTensor(weight);
            scales = new double[] {q.scale()};
            zeroPoints = new int[] {q.zeroPoint()};
        }
        float[] products = new float[scales.length];
        float[] factors = new float[scales.length];
        float[] biasSteps = new float[scales.length];
        for (int i = 0; i < scales.length; i++) {
            products[i] = (float) scales[i] * (float) inputScale;
            factors[i] =
                    input == DType.QINT8 ? products[i] / (float) outputScale : products[i] * (1 / (float) outputScale);
            biasSteps[i] = 1 / (float) (scales[i] * inputScale);
        }
        return new ProductScales(products, factors, biasSteps, zeroPoints);
    }

    /** The bias in units of the product's scale, rounded half to even. */
    public int[] bias(Tensor bias, int channels) {
        if (bias == null) {
            return null;
        }
        float[] values = bias.toFloatArray();
        if (values.length != channels) {
            throw new IllegalArgumentException(
                    "bias: " + bias + " (expected: " + channels + " numbers, one an output channel)");
        }
        int[] integers = new int[channels];
        for (int c = 0; c < channels; c++) {
            integers[c] =
                    (int) QuantizedMath.integer(values[c], biasSteps[biasSteps.length == 1 ? 0 : c], 0, DType.QINT32);
        }
        return integers;
    }

    /** QNNPACK's rule for the sums, with ReLU in its limits if there is one. */
    public Requantization requantization(int zeroPoint, DType type, boolean relu) {
        int least = (int) QuantizedMath.least(type);
        return Requantization.halfEven(
                factors, zeroPoint, relu ? Math.max(zeroPoint, least) : least, (int) QuantizedMath.greatest(type));
    }
}
