package org.torchnnapi.torchscript.aten.ops;

import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Elements;

/** Quantization parameters for values seen at run time. */
final class DynamicRange {
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
        DynamicQuantization chosen = DynamicQuantization.of(min, max, least, greatest);
        return new Quantization.PerTensor(chosen.scale(), chosen.zeroPoint());
    }
}
