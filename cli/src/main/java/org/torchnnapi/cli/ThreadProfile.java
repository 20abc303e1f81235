package org.torchnnapi.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * What each step of a model takes with different numbers of threads, which take turns. The times are those of the
 * quickest turns, a tenth of all: what else the machine did during the others hides what a thread gains. Turns count as
 * a whole, since a step may seem quickest in a run that was held up: while one thread is kept from its work, the others
 * do what comes next.
 *
 * @param numbers of threads; the first is what the others are compared with
 * @param iterations runs to measure with each number
 */
record ThreadProfile(int[] numbers, int iterations) {
    /**
     * Runs with one number of threads before the next has its turn; few, since a disturbance lasts from milliseconds to
     * seconds.
     */
    private static final int TURN = 5;
    /** Runs that let threads just started find their processors, unmeasured. */
    private static final int SETTLING = 3;
    /** One of so many turns counts. */
    private static final int TURNS_OF_QUICK = 10;

    private static final double NANOS_OF_MILLI = 1e6;

    /** A step, and its milliseconds with each number of threads. */
    private record Step(String device, String name, double[] millis) {}

    /**
     * @param top how many of the longest steps; null for all in their order
     * @param json where to write the steps to; null for a table alone, - for standard output and no table
     */
    void report(LoadedModel model, Runnable call, Integer top, String json) throws IOException {
        List<Step> steps = measure(model, call);
        double[] whole = new double[numbers.length];
        steps.forEach(step -> Arrays.setAll(whole, i -> whole[i] + step.millis[i]));
        List<Step> shown = new ArrayList<>(steps);
        if (top != null) {
            shown.sort((a, b) -> Double.compare(b.millis[0], a.millis[0]));
            shown = shown.subList(0, Math.min(top, shown.size()));
        }
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.print(table(shown, new Step("", "a run, of " + Strings.counted(steps.size(), "step"), whole)));
        }
        if (json != null) {
            List<Map<String, Object>> all = new ArrayList<>();
            for (Step step : shown) {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("step", step.name);
                map.put("device", step.device);
                map.put("milliseconds", step.millis);
                all.add(map);
            }
            OutputFiles.writeJson(Map.of("steps", all, "milliseconds", whole, "threads", numbers), json);
        }
    }

    private List<Step> measure(LoadedModel model, Runnable call) {
        List<List<List<ProfiledStep>>> turns = new ArrayList<>();
        for (int ignored : numbers) {
            turns.add(new ArrayList<>());
        }
        int before = CpuThreads.count();
        try {
            for (int done = 0; done < iterations; done += TURN) {
                for (int i = 0; i < numbers.length; i++) {
                    CpuThreads.set(numbers[i]);
                    repeat(SETTLING, call);
                    model.profile();
                    long start = System.nanoTime();
                    repeat(TURN, call);
                    long whole = System.nanoTime() - start;
                    turns.get(i).add(ProfileCommand.steps(model.stepTimes(), whole));
                }
            }
        } finally {
            CpuThreads.set(before);
        }
        List<List<List<ProfiledStep>>> quickest =
                turns.stream().map(ThreadProfile::quickest).collect(Streams.toList());
        List<ProfiledStep> first = turns.get(0).get(0);
        List<Step> steps = new ArrayList<>();
        for (int s = 0; s < first.size(); s++) {
            int step = s;
            double[] millis = new double[numbers.length];
            Arrays.setAll(millis, i -> mean(quickest.get(i), step));
            steps.add(new Step(first.get(s).device(), first.get(s).name(), millis));
        }
        return steps;
    }

    private static void repeat(int times, Runnable call) {
        for (int i = 0; i < times; i++) {
            call.run();
        }
    }

    private static List<List<ProfiledStep>> quickest(List<List<ProfiledStep>> turns) {
        return turns.stream()
                .sorted(Comparator.comparingLong(
                        turn -> turn.stream().mapToLong(ProfiledStep::nanos).sum()))
                .limit(Math.max(1, turns.size() / TURNS_OF_QUICK))
                .collect(Streams.toList());
    }

    /** Milliseconds a run. */
    private static double mean(List<List<ProfiledStep>> turns, int step) {
        return turns.stream()
                        .mapToLong(turn -> turn.get(step).nanos())
                        .average()
                        .getAsDouble()
                / NANOS_OF_MILLI
                / TURN;
    }

    private TextTable table(List<Step> steps, Step whole) {
        List<String> header = new ArrayList<>();
        IntStream.range(0, numbers.length).forEach(i -> header.add((i == 0 ? "ms, threads: " : "") + numbers[i]));
        IntStream.range(1, numbers.length)
                .forEach(i -> header.add(numbers.length == 2 ? "speed-up" : "speed-up of " + numbers[i]));
        header.add("device");
        header.add("step");
        TextTable table = new TextTable(header.toArray(new String[0]));
        for (Step step : steps) {
            table.row(cells(step));
        }
        return table.row(cells(whole));
    }

    private static Object[] cells(Step step) {
        List<Object> cells = new ArrayList<>();
        for (double millis : step.millis) {
            cells.add(String.format(Locale.ROOT, "%.4f", millis));
        }
        for (int i = 1; i < step.millis.length; i++) {
            cells.add(step.millis[i] > 0 ? String.format(Locale.ROOT, "%.2fx", step.millis[0] / step.millis[i]) : "-");
        }
        cells.add(step.device);
        cells.add(step.name);
        return cells.toArray();
    }
}
