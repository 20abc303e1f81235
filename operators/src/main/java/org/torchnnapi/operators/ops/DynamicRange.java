package org.torchnnapi.operators.ops;

import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Quantization parameters for values seen at run time. */
final class DynamicRange {
    private DynamicRange() {}

    /** Parameters that cover all values and zero with the integers {@code least} to {@code greatest}. */
    static Quantization.PerTensor choose(Tensor t, long least, long greatest) {
        float[] values = Elements.floats(t);
        float[] range = new float[2];
        DynamicQuantization.range(values, 0, values.length, range, 0);
        DynamicQuantization chosen = DynamicQuantization.of(range[0], range[1], least, greatest);
        return new Quantization.PerTensor(chosen.scale(), chosen.zeroPoint());
    }
}
