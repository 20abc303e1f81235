package org.torchnnapi.kernels;

/** Between floats and 16-bit floats (IEEE 754 binary16), by their bits. */
public final class HalfFloats {
    private HalfFloats() {}

    /** {@code out[i] = in[i]}, exactly. */
    public static void widen(short[] in, int inOffset, float[] out, int outOffset, int count) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        Kernels.elements().widen(in, inOffset, out, outOffset, count);
    }

    /** {@code out[i] = in[i]} rounded, halves to even; beyond 65504 infinite, a NaN stays a NaN. */
    public static void narrow(float[] in, int inOffset, short[] out, int outOffset, int count) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        Kernels.elements().narrow(in, inOffset, out, outOffset, count);
    }
}
