package org.torchnnapi.kernels;

/** Between floats and bytes of one scale and zero point. */
public final class Quantizing {
    private Quantizing() {}

    /** How a float becomes a number of steps from the zero point. */
    public enum Rule {
        /** {@code x * (1 / scale)} in float, halves to even, and the least byte for a NaN: PyTorch's. */
        PRODUCT_HALF_EVEN {
            @Override
            public double steps(float x, float scale) {
                float product = x * (1 / scale);
                return Float.isNaN(product) ? Double.NEGATIVE_INFINITY : Math.rint(product);
            }
        },
        /** {@code x / scale} without an error, halves to even, and the zero point for a NaN: the NNAPI reference's. */
        QUOTIENT_HALF_EVEN {
            @Override
            public double steps(float x, float scale) {
                return Math.rint((double) x / scale);
            }
        },
        /** {@code x / scale} in float, halves away from zero, and the zero point for a NaN. */
        QUOTIENT_HALF_AWAY {
            @Override
            public double steps(float x, float scale) {
                float quotient = x / scale;
                return Math.copySign(Math.floor(Math.abs((double) quotient) + 0.5), quotient);
            }
        };

        /** Unlimited; a NaN means no steps. */
        public abstract double steps(float x, float scale);
    }

    /**
     * {@code out = limit(zeroPoint + round(in / scale))}: with {@link Rounding#HALF_EVEN} by
     * {@link Rule#PRODUCT_HALF_EVEN}, otherwise by {@link Rule#QUOTIENT_HALF_AWAY}.
     */
    public static void quantize(
            float[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            int count,
            float scale,
            int zeroPoint,
            boolean signed,
            Rounding rounding) {
        Rule rule = rounding == Rounding.HALF_EVEN ? Rule.PRODUCT_HALF_EVEN : Rule.QUOTIENT_HALF_AWAY;
        quantize(in, inOffset, out, outOffset, count, scale, zeroPoint, signed, rule);
    }

    /** {@code out = limit(zeroPoint + rule(in))}. */
    public static void quantize(
            float[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            int count,
            float scale,
            int zeroPoint,
            boolean signed,
            Rule rule) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        checkParameters(scale, zeroPoint, signed);
        int min = signed ? -128 : 0;
        Kernels.bytes().quantize(rule, in, inOffset, out, outOffset, count, scale, zeroPoint, min, min + 255);
    }

    /** {@code out = (in - zeroPoint) * scale}. */
    public static void dequantize(
            byte[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int count,
            float scale,
            int zeroPoint,
            boolean signed) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        checkParameters(scale, zeroPoint, signed);
        Kernels.bytes().dequantize(in, inOffset, out, outOffset, count, scale, zeroPoint, signed);
    }

    /**
     * Any function of one byte: {@code out[i] = table[in[i] & 255]}. How quantized activations, and changes of scale,
     * are done.
     *
     * @param table 256 bytes, by the unsigned value of the input byte
     */
    public static void lookUp(byte[] in, int inOffset, byte[] out, int outOffset, int count, byte[] table) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        Check.length("table", table.length, 256);
        Kernels.bytes().lookUp(in, inOffset, out, outOffset, count, table);
    }

    /**
     * Any function of two bytes: {@code out[i] = table[(a[i * aStep] & 255) << 8 | b[i * bStep] & 255]}.
     *
     * @param aStep elements from one to the next; 0 where one serves all
     * @param table 65536 bytes
     */
    public static void lookUpPairs(
            byte[] a,
            int aOffset,
            int aStep,
            byte[] b,
            int bOffset,
            int bStep,
            byte[] out,
            int outOffset,
            int count,
            byte[] table) {
        Check.atLeast("step", Math.min(aStep, bStep), 0);
        Check.room("a", a.length, aOffset, count == 0 ? 0 : (count - 1L) * aStep + 1);
        Check.room("b", b.length, bOffset, count == 0 ? 0 : (count - 1L) * bStep + 1);
        Check.room("output", out.length, outOffset, count);
        Check.length("table", table.length, 1 << 16);
        Kernels.bytes().lookUpPairs(a, aOffset, aStep, b, bOffset, bStep, out, outOffset, count, table);
    }

    private static void checkParameters(float scale, int zeroPoint, boolean signed) {
        if (!(scale > 0) || Float.isInfinite(scale)) {
            throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
        }
        QuantizedWeights.checkZeroPoint(zeroPoint, signed);
    }
}
