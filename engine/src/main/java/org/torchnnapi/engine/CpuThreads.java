package org.torchnnapi.engine;

import java.util.concurrent.locks.LockSupport;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.ProcessorAffinity;

/** How many threads this process computes with on the CPU. */
public final class CpuThreads {
    /** More only take memory: they are far more than processors, and each has a stack. */
    private static final int MOST = 1024;

    private static final long PAUSE_NANOS = 50_000;

    private CpuThreads() {}

    /** Threads that compute for all models on the CPU, the caller's own among them. */
    public static int count() {
        return KernelPool.shared().numThreads();
    }

    /**
     * Keeps the calling thread, those that it starts from then on, and the threads above to some processors, one for
     * each that is fast. Before models are loaded. Linux and Android, with native kernels.
     *
     * @param processors numbers as Linux counts processors, such as {@code 4-7} or {@code 0-3,6}
     * @throws IllegalArgumentException if it is no such list, or this process cannot keep to these
     * @throws IllegalStateException if a model is computing
     */
    public static void keepTo(String processors) {
        ProcessorAffinity.keepTo(processors);
    }

    /**
     * Changes the number for all models; waits while work runs.
     *
     * @throws IllegalArgumentException if the number is not from 1 to 1024
     */
    public static void set(int threads) {
        if (threads < 1 || threads > MOST) {
            throw new IllegalArgumentException("threads: " + threads + " (expected: 1 to " + MOST + ")");
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
