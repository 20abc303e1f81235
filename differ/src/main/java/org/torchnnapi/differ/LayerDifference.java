package org.torchnnapi.differ;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * How the values of one layer differ.
 *
 * @param first the layer in the first model
 * @param second in the second
 * @param largest greatest difference of real values
 * @param ulps greatest difference in units in the last place of the first's float32 values; NaN if one is quantized
 * @param quanta greatest difference in steps of the coarser scale; NaN if none is quantized
 * @param decibels signal to noise, the first being the signal; infinite where nothing differs
 */
public record LayerDifference(
        RecordedStep first, RecordedStep second, double largest, double ulps, double quanta, double decibels) {
    /**
     * Of two results.
     *
     * @throws IllegalArgumentException if their shapes differ in more than NNAPI's order
     */
    public static LayerDifference of(Tensor first, Tensor second) {
        if (Alignment.sameShape(first, second) == null) {
            throw new IllegalArgumentException("result: " + second + " (expected: " + first + ")");
        }
        return of(RecordedStep.result(first), RecordedStep.result(second));
    }

    static LayerDifference of(RecordedStep first, RecordedStep second) {
        LayerDifference least = null;
        for (Tensor value : Alignment.orders(first, second)) {
            LayerDifference difference = of(first, second, value);
            // What is not a number at all compares as less, and so keeps the first order.
            least = least == null || difference.decibels > least.decibels ? difference : least;
        }
        return least;
    }

    /** @param b the second's values in the order of the first's */
    private static LayerDifference of(RecordedStep first, RecordedStep second, Tensor b) {
        Tensor a = first.value();
        double quantum = Math.max(scale(a), scale(b));
        boolean floats = a.dtype() == DType.FLOAT32 && b.dtype() == DType.FLOAT32;
        double largest = 0;
        double ulps = floats ? 0 : Double.NaN;
        double signal = 0;
        double noise = 0;
        for (long i = 0; i < a.numel(); i++) {
            double x = ValueRange.real(a, i);
            double y = ValueRange.real(b, i);
            double difference = x == y || Double.isNaN(x) && Double.isNaN(y) ? 0 : Math.abs(x - y);
            difference = Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference;
            largest = Math.max(largest, difference);
            if (floats && difference > 0) {
                ulps = Math.max(ulps, difference / Math.ulp((float) x));
            }
            signal += Double.isFinite(x) ? x * x : 0;
            noise += difference * difference;
        }
        double decibels = noise == 0 ? Double.POSITIVE_INFINITY : 10 * Math.log10(signal / noise);
        return new LayerDifference(
                first, second, largest, ulps, quantum > 0 ? largest / quantum : Double.NaN, decibels);
    }

    private static double scale(Tensor tensor) {
        return tensor.quantization() instanceof Quantization.PerTensor q ? q.scale() : 0;
    }
}
