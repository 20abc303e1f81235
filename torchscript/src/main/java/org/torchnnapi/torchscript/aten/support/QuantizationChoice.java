package org.torchnnapi.torchscript.aten.support;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Quantization parameters from the range of the values, as dynamic quantization chooses them (ATen/native/quantized). */
public final class QuantizationChoice {
    private static final float LEAST_SCALE = 6.1e-5f;

    private QuantizationChoice() {
    }

    /** Parameters for a tensor's own range. */
    public static Quantization.PerTensor of(Tensor t, DType type, boolean reduceRange) {
        float[] values = Elements.floats(t);
        float min = values.length == 0 ? 0 : Float.POSITIVE_INFINITY;
        float max = values.length == 0 ? 0 : Float.NEGATIVE_INFINITY;
        for (float v : values) {
            min = Math.min(min, v);
            max = Math.max(max, v);
        }
        int least = (int) Quantized.least(type);
        int greatest = (int) Quantized.greatest(type);
        return reduceRange ? choose(min, max, least / 2, greatest / 2) : choose(min, max, least, greatest);
    }

    /** The range widened to hold 0 is spread over the integers; the zero point is the rounding with the smaller error. */
    private static Quantization.PerTensor choose(float givenMin, float givenMax, int least, int greatest) {
        if (Float.isNaN(givenMin) || Float.isNaN(givenMax) || Float.isInfinite(givenMax - givenMin)) {
            throw new IllegalArgumentException("range: " + givenMin + " to " + givenMax + " (expected: finite, to choose a scale)");
        }
        float min = Math.min(givenMin, 0);
        float max = Math.max(givenMax, 0);
        double scale = ((double) max - min) / (greatest - least);
        if ((float) scale == 0 || Float.isInfinite(1 / (float) scale)) {
            scale = 0.1;
        }
        if (scale < LEAST_SCALE) {
            double former = scale;
            scale = LEAST_SCALE;
            if (min == 0) {
                max = LEAST_SCALE * (greatest - least);
            } else if (max == 0) {
                min = -LEAST_SCALE * (greatest - least);
            } else {
                float amplifier = (float) (LEAST_SCALE / former);
                min *= amplifier;
                max *= amplifier;
            }
        }
        double fromMin = least - min / scale;
        double fromMax = greatest - max / scale;
        double errorFromMin = Math.abs(least) + Math.abs(min / scale);
        double errorFromMax = Math.abs(greatest) + Math.abs(max / scale);
        double zeroPoint = errorFromMin < errorFromMax ? fromMin : fromMax;
        return new Quantization.PerTensor((float) scale, (int) Math.max(least, Math.min(greatest, Math.rint(zeroPoint))));
    }
}
