package org.torchnnapi.torchscript.aten.ops;

import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Elements;

/** Quantization parameters for values seen at run time (PyTorch's ChooseQuantizationParams, quant_utils.h). */
final class DynamicRange {
    /** Below this a scale is raised, so that its reciprocal stays usable in half precision. */
    private static final float SMALL_SCALE = 6.1e-5f;
    private static final double SCALE_OF_NOTHING = 0.1;

    private DynamicRange() {
    }

    /** Parameters that cover all values and zero with the integers {@code least} to {@code greatest}. */
    static Quantization.PerTensor choose(Tensor t, long least, long greatest) {
        float min = 0;
        float max = 0;
        for (float value : Elements.floats(t)) {
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        double scale = ((double) max - min) / (greatest - least);
        if ((float) scale == 0 || Double.isInfinite(1 / scale) || Double.isNaN(scale)) {
            scale = SCALE_OF_NOTHING;
        }
        if (scale < SMALL_SCALE) {
            double original = scale;
            scale = SMALL_SCALE;
            if (min == 0) {
                max = SMALL_SCALE * (greatest - least);
            } else if (max == 0) {
                min = -SMALL_SCALE * (greatest - least);
            } else {
                double amplifier = SMALL_SCALE / original;
                min *= (float) amplifier;
                max *= (float) amplifier;
            }
        }
        double fromMin = least - min / scale;
        double fromMax = greatest - max / scale;
        double errorOfMin = Math.abs(least) + Math.abs(min / scale);
        double errorOfMax = Math.abs(greatest) + Math.abs(max / scale);
        double zeroPoint = errorOfMin < errorOfMax ? fromMin : fromMax;
        return new Quantization.PerTensor(scale, (int) Math.max(least, Math.min(greatest, Math.rint(zeroPoint))));
    }
}
