package org.torchnnapi.kernels;

import java.util.Arrays;

/** Reductions along one axis of {@code [outer][axis][inner]} floats to {@code [outer][inner]}. */
public enum Reduction {
    SUM, MEAN, MAX, MIN, PROD;

    /**
     * Reduces the outer indexes [begin, end). Sums of a contiguous axis ({@code inner == 1}) are kept in double, others in float by
     * rows. An empty axis gives the neutral element (0, 1, or an infinity; MEAN gives NaN).
     */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, int begin, int end) {
        Check.atLeast("axis", axis, 0);
        Check.atLeast("inner", inner, 0);
        Check.range(begin, end, Integer.MAX_VALUE);
        Check.room("input", in.length, inOffset, (long) end * axis * inner);
        Check.room("output", out.length, outOffset, (long) end * inner);
        for (int o = begin; o < end; o++) {
            int source = inOffset + o * axis * inner;
            if (inner == 1 && (this == SUM || this == MEAN)) {
                double sum = 0;
                for (int k = 0; k < axis; k++) {
                    sum += in[source + k];
                }
                out[outOffset + o] = (float) (this == MEAN ? sum / axis : sum);
                continue;
            }
            rows(in, source, out, outOffset + o * inner, axis, inner);
        }
    }

    private void rows(float[] in, int source, float[] out, int target, int axis, int inner) {
        Arrays.fill(out, target, target + inner, neutral());
        BinaryOp op = switch (this) {
            case SUM, MEAN -> BinaryOp.ADD;
            case MAX -> BinaryOp.MAX;
            case MIN -> BinaryOp.MIN;
            case PROD -> BinaryOp.MUL;
        };
        for (int k = 0; k < axis; k++) {
            Kernels.elements().binary(op, out, target, in, source + k * inner, out, target, inner, Clamp.NONE);
        }
        if (this == MEAN) {
            Kernels.elements().binaryScalar(BinaryOp.DIV, out, target, axis, out, target, inner, Clamp.NONE);
        }
    }

    private float neutral() {
        return switch (this) {
            case SUM, MEAN -> 0;
            case MAX -> Float.NEGATIVE_INFINITY;
            case MIN -> Float.POSITIVE_INFINITY;
            case PROD -> 1;
        };
    }
}
