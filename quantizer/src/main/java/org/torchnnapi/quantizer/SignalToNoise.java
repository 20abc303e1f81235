package org.torchnnapi.quantizer;

import org.torchnnapi.tensor.Tensor;

/** Power of what was expected over that of the difference, summed over any number of tensors. */
final class SignalToNoise {
    private double signal;
    private double noise;

    void add(Tensor expected, Tensor actual) {
        float[] a = expected.toFloatArray();
        float[] b = Operators.dequantize(actual).toFloatArray();
        for (int i = 0; i < a.length; i++) {
            double difference = (double) a[i] - b[i];
            signal += (double) a[i] * a[i];
            noise += difference * difference;
        }
    }

    /** In decibels; infinite where nothing differs. */
    double decibels() {
        return noise == 0 ? Double.POSITIVE_INFINITY : 10 * Math.log10(signal / noise);
    }
}
