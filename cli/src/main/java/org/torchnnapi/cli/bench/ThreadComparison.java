package org.torchnnapi.cli.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.MachinePeak;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * A model with different numbers of threads, and what the same threads gain where nothing but the machine holds them
 * back.
 *
 * <p>Processors that others share, as those of most virtual machines, run at full speed only now and then. So steps of
 * whole numbers that need no memory are timed before and after each block of iterations: blocks in which all threads
 * reached what one reaches at its best are undisturbed, and the speed-up over these is that of a machine of one's own.
 */
public final class ThreadComparison {
    /**
     * Iterations with one number of threads before the next has its turn; few, since a disturbance lasts from
     * milliseconds to seconds.
     */
    private static final int BLOCK = 5;
    /** Iterations that let threads just started find their processors, unmeasured. */
    private static final int SETTLING = 3;
    /** Of the best steps a nanosecond of one thread, times the threads: less is a disturbance. */
    private static final double UNDISTURBED = 0.95;
    /** Fewer undisturbed blocks than this say nothing. */
    private static final int LEAST_BLOCKS = 3;

    /**
     * A block of iterations.
     *
     * @param micros of each iteration
     * @param steps the fewer of {@link MachinePeak#integerSteps} before and after
     * @param floats multiply-adds a nanosecond after it
     * @param bytes multiply-adds of bytes a nanosecond after it
     */
    private record Block(double[] micros, double steps, double floats, double bytes) {
        static Block measure(DoubleSupplier once) {
            double before = MachinePeak.integerSteps(KernelPool.shared());
            double[] micros = new double[BLOCK];
            for (int i = 0; i < BLOCK; i++) {
                micros[i] = once.getAsDouble();
            }
            double after = MachinePeak.integerSteps(KernelPool.shared());
            return new Block(
                    micros,
                    Math.min(before, after),
                    MachinePeak.floatMultiplyAdds(KernelPool.shared()),
                    MachinePeak.byteMultiplyAdds(KernelPool.shared()));
        }
    }

    /** The blocks of one number of threads. */
    private record Measured(int threads, List<Block> blocks) {
        Latencies micros() {
            return latencies(blocks);
        }

        /** Empty if too few were undisturbed. */
        List<Block> undisturbed(double bestOfOne) {
            List<Block> found = blocks.stream()
                    .filter(block -> block.steps >= UNDISTURBED * threads * bestOfOne)
                    .collect(Streams.toList());
            return found.size() < LEAST_BLOCKS ? List.of() : found;
        }

        double median(ToDoubleFunction<Block> rate) {
            return new Latencies(blocks.stream().mapToDouble(rate).toArray()).percentile(50);
        }

        static Latencies latencies(List<Block> blocks) {
            return new Latencies(blocks.stream()
                    .flatMapToDouble(block -> Arrays.stream(block.micros))
                    .toArray());
        }
    }

    private ThreadComparison() {}

    /** The numbers of a list such as 1,2. */
    public static int[] numbers(String name, String list) {
        String[] texts = list.split(",");
        int[] numbers = new int[texts.length];
        for (int i = 0; i < texts.length; i++) {
            String text = Strings.strip(texts[i]);
            if (!text.matches("[1-9][0-9]{0,3}")) {
                throw new CommandFailure(name + ": " + texts[i] + " (expected: numbers >= 1, such as 1,2)");
            }
            numbers[i] = Integer.parseInt(text);
        }
        return numbers;
    }

    /**
     * Minima, medians and speed-ups; the first number is what the others are compared with.
     *
     * @param once runs the model once and returns the microseconds that it took
     */
    static TextTable run(int[] numbers, DoubleSupplier once, int iterations) {
        int before = CpuThreads.count();
        List<Measured> all = Arrays.stream(numbers)
                .mapToObj(threads -> new Measured(threads, new ArrayList<>()))
                .collect(Streams.toList());
        try {
            for (int done = 0; done < Math.max(iterations, 1); done += BLOCK) {
                for (Measured measured : all) {
                    CpuThreads.set(measured.threads);
                    for (int i = 0; i < SETTLING; i++) {
                        once.getAsDouble();
                    }
                    measured.blocks.add(Block.measure(once));
                }
            }
        } finally {
            CpuThreads.set(before);
        }
        return table(all);
    }

    private static TextTable table(List<Measured> all) {
        TextTable table = new TextTable(
                "threads", "min us", "median", "speed-up", "by min", "undisturbed", "blocks", "machine float", "int8");
        Measured base = all.get(0);
        double bestOfOne = all.stream()
                .flatMap(measured -> measured.blocks.stream().map(block -> block.steps / measured.threads))
                .max(Double::compare)
                .orElse(Double.NaN);
        for (Measured measured : all) {
            Latencies micros = measured.micros();
            List<Block> undisturbed = measured.undisturbed(bestOfOne);
            table.row(
                    measured.threads,
                    number("%.1f", micros.percentile(0)),
                    number("%.1f", micros.percentile(50)),
                    number("%.2fx", base.micros().percentile(50) / micros.percentile(50)),
                    number("%.2fx", base.micros().percentile(0) / micros.percentile(0)),
                    number("%.2fx", median(base.undisturbed(bestOfOne)) / median(undisturbed)),
                    undisturbed.size() + " of " + measured.blocks.size(),
                    number("%.2fx", measured.median(Block::floats) / base.median(Block::floats)),
                    number("%.2fx", measured.median(Block::bytes) / base.median(Block::bytes)));
        }
        return table;
    }

    private static double median(List<Block> blocks) {
        return blocks.isEmpty() ? Double.NaN : Measured.latencies(blocks).percentile(50);
    }

    private static String number(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }
}
