package org.torchnnapi.kernels;

/** Between floats and bytes of one scale and zero point. */
public final class Quantizing {
    private Quantizing() {
    }

    /**
     * {@code out = limit(zeroPoint + round(in / scale))}; with {@link Rounding#HALF_EVEN} {@code in * (1 / scale)}, as PyTorch has it.
     * A NaN becomes the zero point.
     */
    public static void quantize(float[] in, int inOffset, byte[] out, int outOffset, int count, float scale, int zeroPoint,
                                boolean signed, Rounding rounding) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        checkParameters(scale, zeroPoint, signed);
        int min = signed ? -128 : 0;
        int max = min + 255;
        if (rounding == Rounding.HALF_EVEN) {
            float inverse = 1f / scale;
            for (int i = 0; i < count; i++) {
                out[outOffset + i] = limited((long) Math.rint(in[inOffset + i] * inverse), zeroPoint, min, max);
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = limited(Rounding.HALF_AWAY.round(in[inOffset + i] / scale), zeroPoint, min, max);
        }
    }

    /** {@code out = (in - zeroPoint) * scale}. */
    public static void dequantize(byte[] in, int inOffset, float[] out, int outOffset, int count, float scale, int zeroPoint,
                                  boolean signed) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        checkParameters(scale, zeroPoint, signed);
        int mask = signed ? -1 : 0xff;
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = ((in[inOffset + i] & mask) - zeroPoint) * scale;
        }
    }

    /**
     * Any function of one byte: {@code out[i] = table[in[i] & 255]}. How quantized activations, and changes of scale, are done.
     *
     * @param table 256 bytes, by the unsigned value of the input byte
     */
    public static void lookUp(byte[] in, int inOffset, byte[] out, int outOffset, int count, byte[] table) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        Check.length("table", table.length, 256);
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = table[in[inOffset + i] & 0xff];
        }
    }

    private static byte limited(long steps, int zeroPoint, int min, int max) {
        long clipped = Math.min(Math.max(steps, -512), 512);
        return (byte) Math.min(Math.max(clipped + zeroPoint, min), max);
    }

    private static void checkParameters(float scale, int zeroPoint, boolean signed) {
        if (!(scale > 0) || Float.isInfinite(scale)) {
            throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
        }
        QuantizedWeights.checkZeroPoint(zeroPoint, signed);
    }
}
