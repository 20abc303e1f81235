package org.torchnnapi.kernels;

import java.util.Collections;
import java.util.List;
import org.torchnnapi.kernels.internal.LinuxProcessors;

/**
 * The processors that this process computes on. The system moves threads between all that the process may use, unless
 * they are kept to some: to measure a phone's fast cores alone, or to leave cores to others. Linux and Android, with
 * native kernels.
 */
public final class ProcessorAffinity {
    private static final int MOST = 4096;

    private ProcessorAffinity() {}

    /**
     * Keeps the calling thread, those that it starts from then on, and the threads of {@link KernelPool#shared} to some
     * processors. {@link Machine#current} then has these alone, and the pool a thread for each that
     * {@link Machine#threads} counts. Other threads that run already stay where they are. To be called before models
     * are loaded, as plans are made for the machine.
     *
     * @param processors numbers as Linux counts processors, such as {@code 4-7} or {@code 0-3,6}
     * @throws IllegalArgumentException if it is no such list, this process may use none of them, its kernels are not
     *     native, or the system is another
     * @throws IllegalStateException if the pool is at work
     */
    public static void keepTo(String processors) {
        List<Integer> numbers = LinuxProcessors.numbers(processors);
        if (numbers.isEmpty() || Collections.max(numbers) >= MOST) {
            throw new IllegalArgumentException(
                    "cpus: " + processors + " (expected: numbers of processors, such as 0-3,6)");
        }
        byte[] mask = new byte[MOST / Byte.SIZE];
        for (int number : numbers) {
            mask[number / Byte.SIZE] |= (byte) (1 << number % Byte.SIZE);
        }
        if (!Kernels.elements().keepTo(mask)) {
            throw new IllegalArgumentException(
                    "cpus: " + processors + " (expected: processors that this process may use; only native kernels on "
                            + "Linux or Android keep to some)");
        }
        Machine.assume(LinuxProcessors.measure(processors, numbers.size()));
        KernelPool.shared().setNumThreads(Machine.current().threads());
    }
}
