//@ classes DepthwiseTile1: S=1; DepthwiseTile2: S=2
package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.FloatVector;

/**
 * One block of channels of a depthwise convolution of horizontal stride $S: {@link #PIXELS} adjacent output pixels
 * from rows of pixels V floats each, all inside the array. Results are limited where the name says Positive, as in
 * {@link Tile7}.
 */
final class $CLASS {
    static final int PIXELS = 7;

    private $CLASS() {
    }
    //@ each ending in plain, positive

    /** A 3x3 kernel without dilation: the inputs of its rows start at {@code r0}, {@code r1}, {@code r2}. */
    static void ${ending}Three(
            float[] in, int r0, int r1, int r2, float[] w, int wAt, float[] bias, int biasAt, float[] out, int outAt,
            int min, int max) {
        FloatVector b = FloatVector.fromArray(FLOATS, bias, biasAt);
        //@ each p in 0..7
        FloatVector a$p = b;
        //@ end
        //@ each r in 0..3
        //@ each k in 0..3
        FloatVector w$r$k = FloatVector.fromArray(FLOATS, w, wAt + (3 * $r + $k) * V);
        //@ each p in 0..7
        a$p = FloatVector.fromArray(FLOATS, in, r$r + ($p * $S + $k) * V).fma(w$r$k, a$p);
        //@ end
        //@ end
        //@ end
        //@ each p in 0..7
        //@ when $ending in plain
        a$p.intoArray(out, outAt + $p * V);
        //@ end
        //@ when $ending in positive
        a$p.reinterpretAsInts().max(min).min(max).reinterpretAsFloats().intoArray(out, outAt + $p * V);
        //@ end
        //@ end
    }

    /** Any kernel: the first pixel's inputs under tap t lie at {@code base + taps[t]}. */
    static void ${ending}Any(
            float[] in, int base, int[] taps, float[] w, int wFrom, float[] bias, int biasAt, float[] out, int outAt,
            int min, int max) {
        FloatVector b = FloatVector.fromArray(FLOATS, bias, biasAt);
        //@ each p in 0..7
        FloatVector a$p = b;
        //@ end
        int wAt = wFrom;
        for (int t = 0; t < taps.length; t++) {
            FloatVector k = FloatVector.fromArray(FLOATS, w, wAt);
            int at = base + taps[t];
            wAt += V;
            //@ each p in 0..7
            a$p = FloatVector.fromArray(FLOATS, in, at + $p * $S * V).fma(k, a$p);
            //@ end
        }
        //@ each p in 0..7
        //@ when $ending in plain
        a$p.intoArray(out, outAt + $p * V);
        //@ end
        //@ when $ending in positive
        a$p.reinterpretAsInts().max(min).min(max).reinterpretAsFloats().intoArray(out, outAt + $p * V);
        //@ end
        //@ end
    }
    //@ end
}
