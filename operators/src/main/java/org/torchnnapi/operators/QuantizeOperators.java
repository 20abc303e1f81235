package org.torchnnapi.operators;

import org.torchnnapi.torchscript.ir.Node;

/** The operators between tensors of real numbers and quantized ones, for who looks for them or puts them in. */
public final class QuantizeOperators {
    /** From real numbers, with scale, zero point and dtype. */
    public static final String QUANTIZE = "aten::quantize_per_tensor";
    /** To real numbers. */
    public static final String DEQUANTIZE = "aten::dequantize";

    private QuantizeOperators() {}

    public static boolean isQuantize(Node node) {
        return node.is(QUANTIZE);
    }

    public static boolean isDequantize(Node node) {
        return node.is(DEQUANTIZE);
    }

    /** Whether it is either. */
    public static boolean isStep(Node node) {
        return isQuantize(node) || isDequantize(node);
    }
}
