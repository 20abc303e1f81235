package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;

/** Element-wise loops, one a function so that each is a straight one. */
final class PortableElementwise {
    private PortableElementwise() {}

    static void binary(BinaryOp op, float[] a, int ao, float[] b, int bo, float[] out, int oo, int n) {
        switch (op) {
            case ADD -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = a[ao + i] + b[bo + i];
                }
            }
            case SUB -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = a[ao + i] - b[bo + i];
                }
            }
            case MUL -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = a[ao + i] * b[bo + i];
                }
            }
            case DIV -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = a[ao + i] / b[bo + i];
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = Math.max(a[ao + i], b[bo + i]);
                }
            }
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = Math.min(a[ao + i], b[bo + i]);
                }
            }
            case PRELU -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = rectified(a[ao + i], b[bo + i]);
                }
            }
        }
    }

    static void binaryScalar(BinaryOp op, float[] a, int ao, float b, float[] out, int oo, int n) {
        switch (op) {
            case ADD, SUB -> {
                float addend = op == BinaryOp.ADD ? b : -b;
                for (int i = 0; i < n; i++) {
                    out[oo + i] = a[ao + i] + addend;
                }
            }
            case MUL -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = a[ao + i] * b;
                }
            }
            case DIV -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = a[ao + i] / b;
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = Math.max(a[ao + i], b);
                }
            }
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = Math.min(a[ao + i], b);
                }
            }
            case PRELU -> {
                for (int i = 0; i < n; i++) {
                    out[oo + i] = rectified(a[ao + i], b);
                }
            }
        }
    }

    /** By the sign's bit, since a branch on it is guessed wrong for half of all values. */
    private static float rectified(float value, float slope) {
        int bits = Float.floatToRawIntBits(value);
        int below = bits >> 31;
        return Float.intBitsToFloat(Float.floatToRawIntBits(value * slope) & below | bits & ~below);
    }

    static void limit(float[] out, int oo, int n, Clamp clamp) {
        if (clamp.isNone()) {
            return;
        }
        float min = clamp.min();
        float max = clamp.max();
        for (int i = 0; i < n; i++) {
            out[oo + i] = Math.min(Math.max(out[oo + i], min), max);
        }
    }
}
