package org.torchnnapi.engine;

import java.util.concurrent.locks.LockSupport;
import org.torchnnapi.kernels.KernelPool;

/** How many threads this process computes with on the CPU. */
public final class CpuThreads {
    private static final long PAUSE_NANOS = 50_000;

    private CpuThreads() {
    }

    public static int count() {
        return KernelPool.shared().numThreads();
    }

    /**
     * Changes the number for all models; waits while work runs.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public static void set(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads: " + threads + " (expected: >= 1)");
        }
        while (true) {
            try {
                KernelPool.shared().setNumThreads(threads);
                return;
            } catch (IllegalStateException e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
