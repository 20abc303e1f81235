package org.torchnnapi.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.cli.io.Table;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.ProfiledStep;

/**
 * What each step of a model takes with different numbers of threads. They take turns; a step's time is its median over the turns.
 *
 * @param numbers of threads; the first is what the others are compared with
 */
record ThreadProfile(int[] numbers, int iterations) {
    private static final int TURN = 5;
    /** Runs that let threads just started find their processors, unmeasured. */
    private static final int SETTLING = 3;
    private static final double NANOS_OF_MILLI = 1e6;

    /** A step, and its milliseconds with each number of threads. */
    private record Step(String device, String name, double[] millis) {
    }

    /** @param json where to write the steps to; null for a table alone, - for standard output and no table */
    void report(LoadedModel model, Runnable call, int top, String json) throws IOException {
        List<Step> steps = measure(model, call);
        double[] whole = new double[numbers.length];
        steps.forEach(step -> Arrays.setAll(whole, i -> whole[i] + step.millis[i]));
        List<Step> shown = new ArrayList<>(steps);
        if (top > 0) {
            shown.sort((a, b) -> Double.compare(b.millis[0], a.millis[0]));
            shown = shown.subList(0, Math.min(top, shown.size()));
        }
        if (!"-".equals(json)) {
            System.out.print(table(shown, new Step("", "all " + steps.size() + " steps", whole)));
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
            ProfileCommand.writeJson(Map.of("steps", all, "milliseconds", whole, "threads", numbers), json);
        }
    }

    private List<Step> measure(LoadedModel model, Runnable call) {
        int turns = (iterations + TURN - 1) / TURN;
        List<List<List<ProfiledStep>>> measured = new ArrayList<>();
        for (int ignored : numbers) {
            measured.add(new ArrayList<>());
        }
        int before = CpuThreads.count();
        try {
            for (int turn = 0; turn < turns; turn++) {
                for (int i = 0; i < numbers.length; i++) {
                    CpuThreads.set(numbers[i]);
                    repeat(SETTLING, call);
                    model.profile();
                    repeat(TURN, call);
                    measured.get(i).add(model.stepTimes());
                }
            }
        } finally {
            CpuThreads.set(before);
        }
        List<ProfiledStep> first = measured.get(0).get(0);
        List<Step> steps = new ArrayList<>();
        for (int s = 0; s < first.size(); s++) {
            int step = s;
            double[] millis = new double[numbers.length];
            Arrays.setAll(millis, i -> median(measured.get(i).stream().mapToLong(times -> times.get(step).nanos()).sorted().toArray()));
            steps.add(new Step(first.get(s).device(), first.get(s).name(), millis));
        }
        return steps;
    }

    private static void repeat(int times, Runnable call) {
        for (int i = 0; i < times; i++) {
            call.run();
        }
    }

    private static double median(long[] sorted) {
        return sorted[sorted.length / 2] / NANOS_OF_MILLI / TURN;
    }

    private Table table(List<Step> steps, Step whole) {
        List<String> header = new ArrayList<>();
        IntStream.range(0, numbers.length).forEach(i -> header.add((i == 0 ? "ms, threads: " : "") + numbers[i]));
        IntStream.range(1, numbers.length).forEach(i -> header.add(numbers.length == 2 ? "speed-up" : "speed-up of " + numbers[i]));
        header.add("device");
        header.add("step");
        Table table = new Table(header.toArray(String[]::new));
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
