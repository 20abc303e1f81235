//@ classes Tile7: H=7; Tile4: H=4
package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.FloatVector;

/**
 * The inner product of all dense float kernels: $H pixels by two vectors of output channels, summed in registers.
 *
 * <p>{@code in[base + taps[t] + ...]} are the inputs of tap t: Blocked, V channels of each of the pixels, V apart;
 * Planar, one channel of adjacent pixels. {@code w} holds 2 V weights for every channel, in that order. Sums start at
 * the bias (adding: plus what {@code residual} has where the output goes), are limited where the name says Positive
 * (the limits as the bits of floats that are not negative, whose order is that of the integers) and are stored: pixel
 * p's first vector at {@code outAt + p * pixelStep}, the second {@code vectorStep} later. With {@code vectorStep} 0 the
 * first alone remains.
 */
final class $CLASS {
    private $CLASS() {
    }
    //@ each Input in Blocked, Planar
    //@ each ending in plain, positive, adding, addingPositive

    static void ${ending}$Input(
            float[] in, int base, int[] taps, float[] w, int wFrom, float[] bias, int biasAt, float[] residual,
            int residualAt, float[] out, int outAt, int pixelStep, int vectorStep, int min, int max) {
        FloatVector b0 = FloatVector.fromArray(FLOATS, bias, biasAt);
        FloatVector b1 = FloatVector.fromArray(FLOATS, bias, biasAt + V);
        //@ each p in 0..$H
        //@ when $ending in plain, positive
        FloatVector a$p = b0;
        FloatVector c$p = b1;
        //@ end
        //@ when $ending in adding, addingPositive
        FloatVector a$p = b0.add(FloatVector.fromArray(FLOATS, residual, residualAt + $p * pixelStep));
        FloatVector c$p = b1.add(FloatVector.fromArray(FLOATS, residual, residualAt + $p * pixelStep + vectorStep));
        //@ end
        //@ end
        int wAt = wFrom;
        for (int t = 0; t < taps.length; t++) {
            int at = base + taps[t];
            //@ when $Input in Blocked
            for (int k = 0; k < V; k++) {
                FloatVector w0 = FloatVector.fromArray(FLOATS, w, wAt);
                FloatVector w1 = FloatVector.fromArray(FLOATS, w, wAt + V);
                wAt += 2 * V;
                //@ each p in 0..$H
                FloatVector x$p = FloatVector.broadcast(FLOATS, in[at + k + $p * V]);
                a$p = x$p.fma(w0, a$p);
                c$p = x$p.fma(w1, c$p);
                //@ end
            }
            //@ end
            //@ when $Input in Planar
            FloatVector w0 = FloatVector.fromArray(FLOATS, w, wAt);
            FloatVector w1 = FloatVector.fromArray(FLOATS, w, wAt + V);
            wAt += 2 * V;
            //@ each p in 0..$H
            FloatVector x$p = FloatVector.broadcast(FLOATS, in[at + $p]);
            a$p = x$p.fma(w0, a$p);
            c$p = x$p.fma(w1, c$p);
            //@ end
            //@ end
        }
        //@ each p in 0..$H
        //@ when $ending in plain, adding
        c$p.intoArray(out, outAt + $p * pixelStep + vectorStep);
        a$p.intoArray(out, outAt + $p * pixelStep);
        //@ end
        //@ when $ending in positive, addingPositive
        c$p.reinterpretAsInts().max(min).min(max).reinterpretAsFloats().intoArray(out,
                outAt + $p * pixelStep + vectorStep);
        a$p.reinterpretAsInts().max(min).min(max).reinterpretAsFloats().intoArray(out, outAt + $p * pixelStep);
        //@ end
        //@ end
    }
    //@ end
    //@ end
}
