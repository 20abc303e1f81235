package org.torchnnapi.program;

import org.torchnnapi.kernels.KernelPool;

/**
 * A piece of work ready to run.
 *
 * @param units shares it can be cut into
 * @param adjoining whether shares done together take less than apart
 * @param binding makes it the work on a certain memory, once for each run
 */
public record Step(int units, boolean adjoining, Binding binding) {
    /** Elements that pay for a thread. */
    private static final int RUN = 1 << 14;

    public Step(int units, Binding binding) {
        this(units, false, binding);
    }

    @FunctionalInterface
    public interface Binding {
        KernelPool.Task to(Memory memory);
    }

    /** Work on the elements [from, from + count). */
    @FunctionalInterface
    public interface RunTask {
        void run(int from, int count);
    }

    @FunctionalInterface
    public interface RunBinding {
        RunTask to(Memory memory);
    }

    /** Work on units [begin, end) of one image of a batch. */
    @FunctionalInterface
    public interface ImageTask {
        void run(int image, int begin, int end);
    }

    @FunctionalInterface
    public interface ImageBinding {
        ImageTask to(Memory memory);
    }

    /** Work on adjacent elements, cut into runs long enough to pay for a thread. */
    public static Step elementwise(int count, RunBinding binding) {
        int units = Math.max(1, (count + RUN - 1) / RUN);
        return new Step(units, memory -> {
            RunTask task = binding.to(memory);
            return (begin, end) -> task.run(begin * RUN, Math.min(end * RUN, count) - begin * RUN);
        });
    }

    /** The units of all images of a batch, one image after the other. */
    public static Step images(int batch, int units, ImageBinding binding) {
        return images(batch, units, false, binding);
    }

    /** As {@link #images}, of units that take less together than apart, such as bands of rows that need some of the same input. */
    public static Step bands(int batch, int units, ImageBinding binding) {
        return images(batch, units, true, binding);
    }

    private static Step images(int batch, int units, boolean adjoining, ImageBinding binding) {
        return new Step(batch * units, adjoining, memory -> {
            ImageTask task = binding.to(memory);
            return (begin, end) -> {
                for (int at = begin; at < end; ) {
                    int image = at / units;
                    int stop = Math.min(end, (image + 1) * units);
                    task.run(image, at - image * units, stop - image * units);
                    at = stop;
                }
            };
        });
    }
}
