package org.torchnnapi.cli.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.Table;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.MachinePeak;

/** A model with different numbers of threads, and what the same threads gain where nothing but the machine holds them back. */
public final class ThreadComparison {
    /** Iterations with one number of threads before the next has its turn. */
    private static final int BLOCK = 10;
    /** Iterations that let threads just started find their processors, unmeasured. */
    private static final int SETTLING = 3;

    /** What was measured with one number of threads; multiply-adds a nanosecond of floats and of bytes. */
    private record Measured(List<Double> micros, List<Double> floats, List<Double> bytes) {
        Measured() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
    }

    private ThreadComparison() {
    }

    /** The numbers of a list such as 1,2. */
    public static int[] numbers(String name, String list) {
        String[] texts = list.split(",");
        int[] numbers = new int[texts.length];
        for (int i = 0; i < texts.length; i++) {
            String text = texts[i].strip();
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
    static Table run(String list, DoubleSupplier once, int iterations) {
        int before = CpuThreads.count();
        Map<Integer, Measured> all = new LinkedHashMap<>();
        for (int threads : numbers("compare_threads", list)) {
            all.put(threads, new Measured());
        }
        try {
            for (int done = 0; done < Math.max(iterations, 1); done += BLOCK) {
                all.forEach((threads, measured) -> {
                    CpuThreads.set(threads);
                    for (int i = 0; i < SETTLING; i++) {
                        once.getAsDouble();
                    }
                    for (int i = 0; i < BLOCK; i++) {
                        measured.micros.add(once.getAsDouble());
                    }
                    measured.floats.add(MachinePeak.floatMultiplyAdds(KernelPool.shared()));
                    measured.bytes.add(MachinePeak.byteMultiplyAdds(KernelPool.shared()));
                });
            }
        } finally {
            CpuThreads.set(before);
        }
        Table table = new Table("threads", "min us", "median", "speed-up", "by min", "machine float", "int8");
        Measured base = all.values().iterator().next();
        all.forEach((threads, measured) -> {
            double min = percentile(measured.micros, 0);
            double median = percentile(measured.micros, 50);
            table.row(threads, number("%.1f", min), number("%.1f", median), number("%.2fx", percentile(base.micros, 50) / median),
                number("%.2fx", percentile(base.micros, 0) / min), number("%.2fx", percentile(measured.floats, 50) / percentile(base.floats, 50)),
                number("%.2fx", percentile(measured.bytes, 50) / percentile(base.bytes, 50)));
        });
        return table;
    }

    private static double percentile(List<Double> values, int percent) {
        return new Latencies(values.stream().mapToDouble(Double::doubleValue).toArray()).percentile(percent);
    }

    private static String number(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }
}
