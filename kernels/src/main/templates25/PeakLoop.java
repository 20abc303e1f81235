//@ classes PeakLoop:
package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** Multiply-adds without loads or stores: what the processor can do at best. */
final class PeakLoop {
    /** Sums under way at once: enough for two units of four cycles. */
    private static final int SUMS = 12;

    private static volatile float sink;

    private PeakLoop() {}

    static long run(long multiplyAdds) {
        int rounds = (int) Math.min(multiplyAdds / (SUMS * V), 1 << 24);
        sink = rounds(rounds);
        return (long) rounds * SUMS * V;
    }

    private static float rounds(int rounds) {
        FloatVector x = FloatVector.broadcast(FLOATS, 0.999f);
        FloatVector y = FloatVector.broadcast(FLOATS, 1e-3f);
        //@ each i in 0..12
        FloatVector a$i = y;
        //@ end
        for (int round = 0; round < rounds; round++) {
            //@ each i in 0..12
            a$i = a$i.fma(x, y);
            //@ end
        }
        FloatVector total = y;
        //@ each i in 0..12
        total = total.add(a$i);
        //@ end
        return total.reduceLanes(VectorOperators.ADD);
    }
}
