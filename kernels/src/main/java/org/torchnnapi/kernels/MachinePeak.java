package org.torchnnapi.kernels;

import java.util.function.LongUnaryOperator;

/** The most multiply-adds that one thread of this machine does, measured: what kernels are compared with. */
public final class MachinePeak {
    private static final int WARM_UPS = 200;
    private static final int ROUNDS = 300;
    private static final long WORK = 4_000_000;

    private MachinePeak() {
    }

    /** Float multiply-adds a nanosecond with the instructions of the chosen kernels; NaN for the portable ones. Takes about 0.1 s. */
    public static double floatMultiplyAdds() {
        return best(Kernels.floats()::exercise);
    }

    /** Multiply-adds of bytes a nanosecond with the native kernels' dot products of vectors, not tile registers; NaN without native kernels. */
    public static double byteMultiplyAdds() {
        return best(Kernels.quantized()::exercise);
    }

    private static double best(LongUnaryOperator exercise) {
        for (int i = 0; i < WARM_UPS; i++) {
            exercise.applyAsLong(WORK);
        }
        double best = Double.NaN;
        for (int i = 0; i < ROUNDS; i++) {
            long started = System.nanoTime();
            long done = exercise.applyAsLong(WORK);
            double rate = (double) done / Math.max(1, System.nanoTime() - started);
            if (done > 0 && !(rate <= best)) {
                best = rate;
            }
        }
        return best;
    }
}
