import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Starts programs in turn, each round a fresh process, and tells for each the medians of: process start to first output
 * and the processor time that took, process start to steady speed, the speed then, and the peak resident size.
 *
 * <p>Steady is the end of the first run of {@value #RUN} inferences whose median is within {@value #STEADY} times the
 * median of the last fifth of all.
 */
public final class StartBenchmark {
    private static final double STEADY = 1.1;
    private static final int RUN = 9;

    /** A command line to measure; {@code kind} groups the rows that are compared. */
    private record Program(String kind, String name, List<String> command) {}

    /**
     * One process. Times in milliseconds since it was started, {@code work} of all processors up to the first output;
     * sizes in megabytes.
     */
    private record Sample(double first, double work, double steady, double speed, double peak) {}

    private StartBenchmark() {}

    /** @param args ROUNDS, then lines of KIND|NAME|WORD|WORD.. */
    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        List<Program> programs = new ArrayList<>();
        for (String line : Arrays.copyOfRange(args, 1, args.length)) {
            List<String> words = List.of(line.split("\\|"));
            programs.add(new Program(words.get(0), words.get(1), words.subList(2, words.size())));
        }
        List<List<Sample>> samples = new ArrayList<>();
        programs.forEach(program -> samples.add(new ArrayList<>()));
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < programs.size(); i++) {
                Sample sample = measure(programs.get(i));
                if (sample == null) {
                    System.err.println(programs.get(i).name() + ": no output; left out");
                    continue;
                }
                samples.get(i).add(sample);
                System.err.print('.');
            }
        }
        System.err.println();
        print(programs, samples);
    }

    private static Sample measure(Program program) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(program.command()).redirectError(ProcessBuilder.Redirect.to(nowhere()));
        long start = System.nanoTime();
        Process process = builder.start();
        long first = 0;
        double work = Double.NaN;
        double peak = 0;
        List<double[]> inferences = new ArrayList<>();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (first == 0 && (line.equals("first") || line.startsWith("Tensor("))) {
                    first = System.nanoTime() - start;
                    work = process.info()
                            .totalCpuDuration()
                            .map(time -> time.toNanos() / 1e6)
                            .orElse(Double.NaN);
                } else if (line.startsWith("inference ")) {
                    String[] words = line.split(" ");
                    inferences.add(
                            new double[] {Double.parseDouble(words[1]) / 1e6, Double.parseDouble(words[2]) / 1e6});
                } else if (line.startsWith("peak ")) {
                    peak = Double.parseDouble(line.substring(5)) / 1024;
                }
            }
        }
        if (process.waitFor() != 0 || first == 0) {
            return null;
        }
        double[] times = inferences.stream().mapToDouble(pair -> pair[1]).toArray();
        if (times.length < 2 * RUN) {
            return new Sample(first / 1e6, work, Double.NaN, Double.NaN, peak);
        }
        double speed = median(Arrays.copyOfRange(times, times.length - times.length / 5, times.length));
        int steady = RUN - 1;
        while (steady < times.length - 1
                && median(Arrays.copyOfRange(times, steady + 1 - RUN, steady + 1)) > STEADY * speed) {
            steady++;
        }
        return new Sample(first / 1e6, work, first / 1e6 + inferences.get(steady)[0], speed, peak);
    }

    private static File nowhere() {
        return Files.exists(Path.of("/dev/null")) ? new File("/dev/null") : new File("NUL");
    }

    private static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
    }

    private static void print(List<Program> programs, List<List<Sample>> samples) {
        System.out.println(
                "| model | program | first output, ms | of PyTorch's | processor time, ms | steady after, ms | "
                        + "inference then, ms | peak resident, MB |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (int i = 0; i < programs.size(); i++) {
            List<Sample> own = samples.get(i);
            if (own.isEmpty()) {
                continue;
            }
            double first = median(own.stream().mapToDouble(Sample::first).toArray());
            double peer = Double.NaN;
            for (int j = 0; j < programs.size(); j++) {
                if (programs.get(j).name().startsWith("PyTorch")
                        && programs.get(j).kind().equals(programs.get(i).kind())) {
                    peer = median(
                            samples.get(j).stream().mapToDouble(Sample::first).toArray());
                }
            }
            System.out.println("| " + programs.get(i).kind() + " | "
                    + programs.get(i).name() + " | " + shown("%.0f", first) + " | "
                    + shown("%.2f", first / peer) + " | "
                    + shown(
                            "%.0f",
                            median(own.stream().mapToDouble(Sample::work).toArray())) + " | "
                    + shown(
                            "%.0f",
                            median(own.stream().mapToDouble(Sample::steady).toArray())) + " | "
                    + shown(
                            "%.2f",
                            median(own.stream().mapToDouble(Sample::speed).toArray())) + " | "
                    + shown(
                            "%.0f",
                            median(own.stream().mapToDouble(Sample::peak).toArray())) + " |");
        }
    }

    private static String shown(String format, double value) {
        return Double.isNaN(value) || value == 0 ? "" : String.format(Locale.ROOT, format, value);
    }
}
