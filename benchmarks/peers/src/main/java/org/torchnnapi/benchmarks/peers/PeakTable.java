package org.torchnnapi.benchmarks.peers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Peak resident sizes of engines by how long they ran, medians over rounds. */
final class PeakTable {
    private static final double MEGABYTE = 1e6;

    private record Row(String model, String engine) {}

    private final double[] seconds;
    private final Map<Row, List<long[]>> rounds = new LinkedHashMap<>();
    private boolean begun;

    PeakTable(double... seconds) {
        this.seconds = seconds;
    }

    /** @param bytes one for each number of seconds */
    void add(String model, String engine, long... bytes) {
        rounds.computeIfAbsent(new Row(model, engine), row -> new ArrayList<>()).add(bytes);
    }

    private double median(Row row, int at) {
        long[] sorted =
                rounds.get(row).stream().mapToLong(bytes -> bytes[at]).sorted().toArray();
        return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2.0;
    }

    /** The lines of one model in Markdown, before the first ones the head of the table. */
    String rows(String model) {
        StringBuilder text = new StringBuilder();
        if (!begun) {
            begun = true;
            text.append("| model | engine |");
            Arrays.stream(seconds)
                    .forEach(s -> text.append(String.format(
                            Locale.ROOT, " %s s, MB |", Double.toString(s).replaceFirst("\\.0$", ""))));
            text.append(String.format("%n|---|---|%s%n", "---|".repeat(seconds.length)));
        }
        for (Row row : rounds.keySet()) {
            if (row.model.equals(model)) {
                text.append("| ").append(model).append(" | ").append(row.engine).append(" |");
                for (int i = 0; i < seconds.length; i++) {
                    text.append(String.format(Locale.ROOT, " %.0f |", median(row, i) / MEGABYTE));
                }
                text.append(System.lineSeparator());
            }
        }
        return text.toString();
    }

    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("model,engine,seconds,peak_bytes"));
        for (Row row : rounds.keySet()) {
            for (int i = 0; i < seconds.length; i++) {
                lines.add(
                        String.format(Locale.ROOT, "%s,%s,%s,%.0f", row.model, row.engine, seconds[i], median(row, i)));
            }
        }
        return lines;
    }
}
