package org.torchnnapi.differ;

import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * What the values of a tensor are as a whole, whatever the order of its dimensions: real ones, of quantized tensors
 * too.
 *
 * @param mean of all
 * @param rms root of the mean square
 * @param least of all
 * @param greatest of all
 */
record ValueRange(double mean, double rms, double least, double greatest) {
    /** By how much of the root mean square those of one layer differ at most, quantized and not. */
    private static final double NEAR = 0.05;

    static ValueRange of(Tensor tensor) {
        double sum = 0;
        double squares = 0;
        double least = Double.POSITIVE_INFINITY;
        double greatest = Double.NEGATIVE_INFINITY;
        long count = tensor.numel();
        for (long i = 0; i < count; i++) {
            double value = real(tensor, i);
            sum += value;
            squares += value * value;
            least = Math.min(least, value);
            greatest = Math.max(greatest, value);
        }
        return new ValueRange(sum / count, Math.sqrt(squares / count), least, greatest);
    }

    static double real(Tensor tensor, long index) {
        double value = tensor.getDouble(index);
        return tensor.quantization() instanceof Quantization.PerTensor q ? (value - q.zeroPoint()) * q.scale() : value;
    }

    /** Whether they may be those of one layer; false where there is nothing but zeros, or what is no finite number. */
    boolean isNear(ValueRange other) {
        double allowed = NEAR * Math.max(rms, other.rms);
        return allowed > 0
                && Math.abs(mean - other.mean) <= allowed
                && Math.abs(rms - other.rms) <= allowed
                && Math.abs(least - other.least) <= allowed
                && Math.abs(greatest - other.greatest) <= allowed;
    }
}
