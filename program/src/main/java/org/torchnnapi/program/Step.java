package org.torchnnapi.program;

import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.Machine;

/**
 * A piece of work ready to run.
 *
 * @param units shares it can be cut into
 * @param adjoining whether shares done one after the other by a thread take less than apart
 * @param rounds how many times all units are done, each when all of the one before are; the work is then {@link Rounds}
 * @param binding makes it the work on a certain memory, once for each run
 */
public record Step(int units, boolean adjoining, int rounds, Binding binding) {
    /** Elements that pay for a thread. */
    private static final int LEAST_RUN = 1 << 12;
    /**
     * Elements read or multiplied, such as pixels of a mean or weights of a product, that take a thread a microsecond
     * or more.
     */
    private static final int LEAST_WORK = 1 << 15;
    /**
     * The same of images' channels: a thread finds those in its own cache that it has computed, and gets others slowly
     * from another core's.
     */
    private static final int LEAST_CHANNELS = 1 << 11;

    public Step(int units, Binding binding) {
        this(units, false, binding);
    }

    public Step(int units, boolean adjoining, Binding binding) {
        this(units, adjoining, 1, binding);
    }

    /** Work that is done in rounds; on all units at once it is all rounds. */
    public record Rounds(int count, RoundTask task) implements KernelPool.Task {
        /** Work on units [begin, end) of a round. */
        @FunctionalInterface
        public interface RoundTask {
            void run(int round, int begin, int end);

            /** All rounds of all units, by one thread. */
            default void runAll(int rounds, int units) {
                for (int round = 0; round < rounds; round++) {
                    run(round, 0, units);
                }
            }
        }

        /** The work of one round. */
        KernelPool.Task round(int number) {
            return (begin, end) -> task.run(number, begin, end);
        }

        /** All rounds of all units, which are not given in parts. */
        @Override
        public void run(int begin, int end) {
            task.runAll(count, end);
        }
    }

    /** Makes the work in rounds that of a run. */
    @FunctionalInterface
    public interface RoundBinding {
        Rounds.RoundTask to(RunMemory memory);
    }

    /** Makes the work on units that of a run, over the run's memory. */
    @FunctionalInterface
    public interface Binding {
        KernelPool.Task to(RunMemory memory);
    }

    /** Work on the elements [from, from + count). */
    @FunctionalInterface
    public interface RunTask {
        void run(int from, int count);
    }

    /** Makes the work on elements that of a run. */
    @FunctionalInterface
    public interface RunBinding {
        RunTask to(RunMemory memory);
    }

    /** Work on units [begin, end) of one image of a batch. */
    @FunctionalInterface
    public interface ImageTask {
        void run(int image, int begin, int end);
    }

    /** Makes the work on images that of a run. */
    @FunctionalInterface
    public interface ImageBinding {
        ImageTask to(RunMemory memory);
    }

    /**
     * As {@link ImageTask}; resumed where the same thread has just done the units of the image before these, or with
     * {@link #keeping} any of it.
     */
    @FunctionalInterface
    public interface BandTask {
        void run(int image, int begin, int end, boolean resumed);
    }

    /** Makes the work on bands that of a run. */
    @FunctionalInterface
    public interface BandBinding {
        BandTask to(RunMemory memory);
    }

    /**
     * The same step in fewer units where they are too small: what takes a microsecond takes longer when two threads
     * share it, since they wait for each other, and results come slowly from another core's cache.
     *
     * @param work elements read or multiplied by all units together
     */
    public Step joined(long work) {
        return joined(work, LEAST_WORK);
    }

    /**
     * As {@link #joined(long)}, of units that are ranges of an image's channels, each computed from the same channels
     * of another image.
     */
    public Step joinedChannels(long work) {
        return joined(work, LEAST_CHANNELS);
    }

    /** The same step in one unit, which the thread that runs the program does. */
    public Step whole() {
        return units <= 1
                ? this
                : new Step(1, memory -> {
                    KernelPool.Task task = binding.to(memory);
                    return (begin, end) -> task.run(0, units);
                });
    }

    private Step joined(long work, int least) {
        if (units <= 1 || rounds > 1) {
            return this;
        }
        int shares = (int) Math.max(1, Math.min(units, work / least));
        int together = (units + shares - 1) / shares;
        return together == 1
                ? this
                : new Step((units + together - 1) / together, memory -> {
                    KernelPool.Task task = binding.to(memory);
                    return (begin, end) -> task.run(begin * together, Math.min(end * together, units));
                });
    }

    /**
     * The same step, of units that take less one after the other than apart, such as channels computed from the same
     * pixels: a thread then does its own at once.
     */
    public Step asAdjoining() {
        return new Step(units, true, rounds, binding);
    }

    /**
     * Work on adjacent elements, cut into runs long enough to pay for a thread, and short enough for the second cache:
     * a function of several passes finds there what the one before wrote.
     */
    public static Step elementwise(int count, RunBinding binding) {
        int run = Math.max(LEAST_RUN, Machine.current().secondCache() / 16 / Float.BYTES);
        int units = Math.max(1, (count + run - 1) / run);
        return new Step(units, memory -> {
            RunTask task = binding.to(memory);
            return (begin, end) -> {
                for (int unit = begin; unit < end; unit++) {
                    task.run(unit * run, Math.min(run, count - unit * run));
                }
            };
        });
    }

    /** Work in rounds, such as steps of a sequence that need what all units made of the one before. */
    public static Step rounds(int rounds, int units, RoundBinding binding) {
        // A single unit is the caller's, who does all rounds at once.
        return new Step(units, true, units == 1 ? 1 : rounds, memory -> new Rounds(rounds, binding.to(memory)));
    }

    /** The units of all images of a batch, one image after the other. */
    public static Step images(int batch, int units, ImageBinding binding) {
        return new Step(batch * units, memory -> {
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

    /** As {@link #images}, of units that all need something of their image that a thread keeps from one to the next. */
    public static Step keeping(int batch, int units, BandBinding binding) {
        return new Step(batch * units, memory -> {
            BandTask task = binding.to(memory);
            return batch == 1 ? new Kept(task) : new Bands(units, task)::run;
        });
    }

    /** The units of one image, which all need the same of it. */
    private record Kept(BandTask task) implements KernelPool.Task {
        @Override
        public void run(int begin, int end) {
            task.run(0, begin, end, false);
        }

        @Override
        public void again(int begin, int end) {
            task.run(0, begin, end, true);
        }
    }

    /**
     * As {@link #images}, of units that take less one after the other than apart, such as bands of rows that need some
     * of the same input.
     */
    public static Step bands(int batch, int units, BandBinding binding) {
        return new Step(batch * units, true, memory -> new Bands(units, binding.to(memory)));
    }

    /** The bands of all images of a batch, one image after the other. */
    private record Bands(int units, BandTask task) implements KernelPool.Task {
        @Override
        public void run(int begin, int end) {
            each(begin, end, false);
        }

        @Override
        public void resume(int begin, int end) {
            each(begin, end, begin % units != 0);
        }

        private void each(int begin, int end, boolean resumed) {
            for (int at = begin; at < end; ) {
                int image = at / units;
                int stop = Math.min(end, (image + 1) * units);
                task.run(image, at - image * units, stop - image * units, resumed && at == begin);
                at = stop;
            }
        }
    }
}
