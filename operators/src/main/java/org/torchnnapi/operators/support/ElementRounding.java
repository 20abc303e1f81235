package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;

/** What is left of a number once a tensor holds it; for operators whose steps PyTorch rounds one by one. */
public final class ElementRounding {
    private ElementRounding() {}

    /** @param type a floating type; of any other, the value as it is */
    public static double to(DType type, double value) {
        return switch (type) {
            case FLOAT16 -> Half.toFloat(Half.fromFloat((float) value));
            case BFLOAT16 -> Half.bfloatToFloat(Half.bfloatFromFloat((float) value));
            case FLOAT32 -> (float) value;
            default -> value;
        };
    }
}
