package org.torchnnapi.benchmarks.kernels;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.MachinePeak;

/**
 * Runs the kernel benchmarks and prints, a line each, the time of one run, multiply-adds (or elements) a nanosecond and
 * the fraction of the machine's measured peak of multiply-adds: {@code KernelReport [--check] [TEXT]}, of the kernels
 * whose names contain TEXT. With {@code --check} it exits with 1 if a fraction is below the floor that
 * {@code floors.csv} records: a harmless edit can make a compiler spill a kernel's sums. Fast tenths of the samples are
 * used, since other programs only ever slow a run down. The peak of bytes is that of dot products of vectors, which
 * tile registers may pass; {@code -Dtorchnnapi.kernels.amx=false} does without, as every other choice of kernels given
 * to this process also holds for those that measure.
 */
public final class KernelReport {
    private KernelReport() {}

    public static void main(String[] args) throws RunnerException {
        boolean check = Arrays.asList(args).contains("--check");
        String filter = Arrays.stream(args)
                .filter(arg -> !arg.startsWith("--"))
                .findFirst()
                .orElse("");
        Map<String, Double> floors = floors();
        List<String> options = new ArrayList<>(List.of(
                "-Xmx1g",
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-Dtorchnnapi.kernels.eager=true"));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("torchnnapi.kernels"))
                .forEach(name -> options.add("-D" + name + "=" + System.getProperty(name)));
        String[] names = KernelCase.all().stream()
                .map(KernelCase::name)
                .filter(name -> name.contains(filter))
                .filter(name -> !check || floors.containsKey(name))
                .toArray(String[]::new);
        Kernels.describe().forEach(System.out::println);
        double floatPeak = MachinePeak.floatMultiplyAdds();
        double bytePeak = MachinePeak.byteMultiplyAdds();
        System.out.printf("peak of one thread: float %.1f, int8 %.1f multiply-adds/ns%n%n", floatPeak, bytePeak);
        System.out.printf("%-60s %12s %12s %9s%n", "kernel", "us", "per ns", "of peak");
        List<String> low = new ArrayList<>();
        for (RunResult result : new Runner(new OptionsBuilder()
                        .include(KernelBenchmark.class.getName())
                        .param("kernel", names)
                        .forks(1)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.milliseconds(300))
                        .verbosity(VerboseMode.SILENT)
                        .jvmArgs(options.toArray(String[]::new))
                        .build())
                .run()) {
            KernelCase kernel = KernelCase.named(result.getParams().getParam("kernel"));
            double nanos = result.getPrimaryResult().getStatistics().getPercentile(10);
            double rate = kernel.work() / nanos;
            double peak = switch (kernel.unit()) {
                case FLOAT_MULTIPLY_ADDS -> floatPeak;
                case BYTE_MULTIPLY_ADDS -> bytePeak;
                case ELEMENTS -> Double.NaN;
            };
            System.out.printf(
                    "%-60s %12.1f %12.2f %9s%n",
                    kernel.name(),
                    nanos / 1000,
                    rate,
                    Double.isNaN(peak) ? "" : String.format("%.0f%%", 100 * rate / peak));
            Double floor = floors.get(kernel.name());
            if (floor != null && rate / peak < floor) {
                low.add(String.format("%s: %.2f of the peak (expected: >= %.2f)", kernel.name(), rate / peak, floor));
            }
        }
        if (check) {
            low.forEach(System.err::println);
            System.exit(low.isEmpty() ? 0 : 1);
        }
    }

    private static Map<String, Double> floors() {
        Map<String, Double> floors = new TreeMap<>();
        try (InputStream in = KernelReport.class.getResourceAsStream("floors.csv")) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .skip(1)
                    .toList()) {
                String[] cells = line.split(",");
                floors.put(cells[0], Double.parseDouble(cells[1]));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return floors;
    }
}
