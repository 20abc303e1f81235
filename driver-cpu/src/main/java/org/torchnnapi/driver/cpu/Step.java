package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.KernelPool;

/**
 * A piece of work ready to run.
 *
 * @param units shares it can be cut into
 * @param binding makes it the work on a certain memory, once
 */
record Step(int units, Binding binding) {
    private static final int RUN = 1 << 14;

    @FunctionalInterface
    interface Binding {
        KernelPool.Task to(Memory memory);
    }

    /** Work on the elements [from, from + count). */
    @FunctionalInterface
    interface RunTask {
        void run(int from, int count);
    }

    @FunctionalInterface
    interface RunBinding {
        RunTask to(Memory memory);
    }

    /** Work on adjacent elements, cut into runs long enough to pay for a thread. */
    static Step elementwise(int count, RunBinding binding) {
        int units = Math.max(1, (count + RUN - 1) / RUN);
        return new Step(units, memory -> {
            RunTask task = binding.to(memory);
            return (begin, end) -> task.run(begin * RUN, Math.min(end * RUN, count) - begin * RUN);
        });
    }
}
