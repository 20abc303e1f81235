package org.torchnnapi.kernels;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;

/**
 * The most multiply-adds that threads of this machine do, measured: what kernels, and the speed-up of threads, are
 * compared with.
 */
public final class MachinePeak {
    private static final int WARM_UPS = 200;
    private static final int ROUNDS = 300;
    private static final long WORK = 4_000_000;
    /** Shares of a thread, so that none waits long for a slower one. */
    private static final int SHARES = 8;
    /** A thread's shares last longer, together, than another one takes to wake up. */
    private static final long FLOATS_OF_SHARE = 2_000_000;

    private static final long BYTES_OF_SHARE = 8_000_000;
    private static final long STEPS_OF_SHARE = 80_000;

    private MachinePeak() {}

    /**
     * Float multiply-adds a nanosecond with the instructions of the chosen kernels; NaN for the portable ones. Takes
     * about 0.1 s.
     */
    public static double floatMultiplyAdds() {
        return best(Kernels.floats()::exercise);
    }

    /**
     * Multiply-adds of bytes a nanosecond with the native kernels' dot products of vectors, not tile registers; NaN
     * without native kernels.
     */
    public static double byteMultiplyAdds() {
        return best(Kernels.quantized()::exercise);
    }

    /**
     * Float multiply-adds a nanosecond of all threads of a pool together, measured once: to be called again and again
     * between what it is compared with. NaN for the portable kernels. Takes about half a millisecond.
     */
    public static double floatMultiplyAdds(KernelPool pool) {
        return together(pool, FLOATS_OF_SHARE, Kernels.floats()::exercise);
    }

    /** The same of {@link #byteMultiplyAdds()}. */
    public static double byteMultiplyAdds(KernelPool pool) {
        return together(pool, BYTES_OF_SHARE, Kernels.quantized()::exercise);
    }

    /**
     * Steps of whole numbers a nanosecond of all threads of a pool together, measured once, by the same rules. They
     * need no memory and as many instructions a cycle as a core can begin, so they feel whatever else the core does,
     * such as its other hardware thread, more than multiply-adds do, which wait for their unit. Takes about half a
     * millisecond.
     */
    public static double integerSteps(KernelPool pool) {
        return together(pool, STEPS_OF_SHARE, MachinePeak::mix);
    }

    /** Six chains of rotations and sums that do not wait for each other; returns how many steps were done. */
    private static long mix(long steps) {
        long a = 1;
        long b = 2;
        long c = 3;
        long d = 4;
        long e = 5;
        long f = 6;
        for (long i = 0; i < steps; i++) {
            a = Long.rotateLeft(a, 1) + i;
            b = Long.rotateLeft(b, 3) + i;
            c = Long.rotateLeft(c, 5) + i;
            d = Long.rotateLeft(d, 7) + i;
            e = Long.rotateLeft(e, 11) + i;
            f = Long.rotateLeft(f, 13) + i;
        }
        // Sums are used, so that no compiler leaves them out.
        return steps + ((a ^ b ^ c ^ d ^ e ^ f) == 0 ? 1 : 0);
    }

    private static double together(KernelPool pool, long workOfShare, LongUnaryOperator exercise) {
        LongAdder done = new LongAdder();
        KernelPool.Task task = (begin, end) -> done.add(exercise.applyAsLong((end - begin) * workOfShare));
        pool.beginSeries();
        try {
            // Threads that slept are awake afterwards.
            pool.run(SHARES * pool.numThreads(), task);
            done.reset();
            long started = System.nanoTime();
            pool.run(SHARES * pool.numThreads(), task);
            return done.sum() > 0 ? (double) done.sum() / Math.max(1, System.nanoTime() - started) : Double.NaN;
        } finally {
            pool.endSeries();
        }
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
