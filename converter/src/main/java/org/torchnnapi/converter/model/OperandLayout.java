package org.torchnnapi.converter.model;

import java.util.List;

/**
 * How an NNAPI operand's dimensions relate to the PyTorch shape kept for it, with the number that a converted module
 * stores in {@code inp_mem_fmts} and {@code out_mem_fmts}.
 */
public enum OperandLayout {
    /** The operand's dimensions are those of the PyTorch tensor. */
    CONTIGUOUS(0),
    /** PyTorch speaks of N, C, H, W; the operand is N, H, W, C. */
    CHANNELS_LAST(1),
    /** An immediate value: no dimensions or one. */
    SCALAR_OR_VECTOR(2),
    /** A constant whose dimensions are already in the order that its operation wants. */
    CONSTANT(999);

    private static final int[] NHWC_FROM_NCHW = {0, 2, 3, 1};
    private static final int[] NCHW_TO_NHWC = {0, 3, 1, 2};

    private final int code;

    OperandLayout(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** The operand's dimension that stands for a PyTorch dimension, which must not be negative. */
    public int toNnapi(int torchDimension) {
        return this == CHANNELS_LAST ? NCHW_TO_NHWC[torchDimension] : torchDimension;
    }

    /** Reorders one entry per PyTorch dimension into one entry per NNAPI dimension. */
    public int[] toNnapi(int[] perTorchDimension) {
        if (this != CHANNELS_LAST) {
            return perTorchDimension.clone();
        }
        int[] out = new int[perTorchDimension.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = perTorchDimension[NHWC_FROM_NCHW[i]];
        }
        return out;
    }

    /** For reports. */
    public String text() {
        return List.of("", " NHWC", "", "").get(ordinal());
    }
}
