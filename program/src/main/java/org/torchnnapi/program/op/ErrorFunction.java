package org.torchnnapi.program.op;

import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.UnaryOp;

/**
 * The error function, by the kernel of {@code gelu(y) = y * (1 + erf(y / sqrt(2))) / 2}. Near 0, where that leaves the
 * difference of near numbers, by its series (Abramowitz and Stegun 7.1.5).
 */
final class ErrorFunction {
    /** Where the first term that the series leaves out is below a float's precision. */
    private static final float NEAR = 0.5f;
    /** Beyond it the function is 1 as a float, and its quotient no number for infinities. */
    private static final float FAR = 6;

    private static final float ROOT_OF_2 = (float) Math.sqrt(2);
    private static final float FIRST = (float) (2 / Math.sqrt(Math.PI));

    private ErrorFunction() {}

    /** @param out must not be the input's elements, which are read again */
    static void apply(float[] in, int from, float[] out, int to, int count) {
        for (int i = 0; i < count; i++) {
            out[to + i] = limited(in[from + i]) * ROOT_OF_2;
        }
        ElementwiseOps.unary(UnaryOp.GELU, out, to, out, to, count);
        for (int i = 0; i < count; i++) {
            float x = limited(in[from + i]);
            float z = x * x;
            float series = -1f / 1320 + z * (1f / 9360);
            series = -1f / 42 + z * (1f / 216 + z * series);
            series = -1f / 3 + z * (1f / 10 + z * series);
            float near = FIRST * x * (1 + z * series);
            float far = 2 * out[to + i] / (x * ROOT_OF_2) - 1;
            // By bits, since a branch would be guessed wrong; the quotient is no number at 0.
            int isNear = Float.floatToRawIntBits(Math.abs(x)) - Float.floatToRawIntBits(NEAR) >> 31;
            out[to + i] = Float.intBitsToFloat(
                    Float.floatToRawIntBits(near) & isNear | Float.floatToRawIntBits(far) & ~isNear);
        }
    }

    private static float limited(float x) {
        // Math.min and Math.max take longer, and what is so far is rare.
        return x > FAR ? FAR : x < -FAR ? -FAR : x;
    }
}
