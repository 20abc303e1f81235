package org.torchnnapi.quantizer;

import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Scales and zero points of ranges, in the float32 steps of PyTorch 1.13's {@code UniformQuantizationObserverBase}. */
final class Scales {
    /** The float32 machine epsilon, the least scale. */
    private static final float LEAST = Math.ulp(1f);

    private static final int STEPS = 255;

    private Scales() {}

    /** Of quint8: the range, with 0 in it, in 255 steps. */
    static Quantization.PerTensor affine(Observer.Range range) {
        float min = Math.min(range.min(), 0f);
        float max = Math.max(range.max(), 0f);
        float scale = Math.max((max - min) / STEPS, LEAST);
        int zeroPoint = (int) -Math.rint(min / scale);
        return new Quantization.PerTensor(scale, Math.max(0, Math.min(STEPS, zeroPoint)));
    }

    /** Of qint8, for a whole weight: 0 in the middle. */
    static Quantization.PerTensor symmetric(Tensor weight) {
        return new Quantization.PerTensor(symmetric(weight.toFloatArray(), 0, Math.toIntExact(weight.numel())), 0);
    }

    /**
     * Of quint8, for slopes of at least 0: up to 1, by which PyTorch's operator multiplies what is positive in this
     * scale too, or the greatest.
     */
    static Quantization.PerTensor ofSlopes(Tensor slopes) {
        float largest = 1;
        for (float slope : slopes.toFloatArray()) {
            largest = Math.max(largest, slope);
        }
        return new Quantization.PerTensor(largest / STEPS, 0);
    }

    /** Of qint8, for each output channel, the first dimension. */
    static Quantization.PerChannel symmetricPerChannel(Tensor weight) {
        float[] values = weight.toFloatArray();
        int channels = weight.size(0);
        int each = channels == 0 ? 0 : values.length / channels;
        double[] scales = new double[channels];
        for (int c = 0; c < channels; c++) {
            scales[c] = symmetric(values, c * each, each);
        }
        return new Quantization.PerChannel(scales, new double[channels], 0, false);
    }

    private static float symmetric(float[] values, int from, int count) {
        float largest = 0;
        for (int i = from; i < from + count; i++) {
            largest = Math.max(largest, Math.abs(values[i]));
        }
        return Math.max(largest / (STEPS / 2f), LEAST);
    }
}
