package org.torchnnapi.benchmarks.peers;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.torchnnapi.benchmarks.peers.PeerBenchmark.Row;

/** A bar chart as SVG: a group for each model and thread count, bars relative to the slowest of the group. */
final class Chart {
    private static final int BAR = 18;
    private static final int LABELS = 190;
    private static final int WIDTH = 640;
    private static final int BARS = 330;

    private Chart() { }

    static String draw(List<Row> rows) {
        Map<String, List<Row>> groups = rows.stream().collect(Collectors.groupingBy(
                row -> row.model() + ", " + row.threads() + (row.threads() == 1 ? " thread" : " threads"),
                java.util.LinkedHashMap::new, Collectors.toList()));
        StringBuilder body = new StringBuilder();
        int y = BAR;
        for (Map.Entry<String, List<Row>> group : groups.entrySet()) {
            text(body, 0, y, "bold", group.getKey());
            y += BAR;
            double slowest = group.getValue().stream().mapToDouble(Row::milliseconds).max().orElseThrow();
            for (Row row : group.getValue()) {
                double length = BARS * row.milliseconds() / slowest;
                text(body, 10, y, "normal", row.engine());
                body.append(String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>%n",
                        LABELS, y - 10, length, row.engine().startsWith("torch-nnapi") ? "#2a6fb0" : "#b8b8b8"));
                text(body, (int) (LABELS + length + 6), y, "normal", String.format(Locale.ROOT, "%.2f ms", row.milliseconds()));
                y += BAR;
            }
            y += BAR / 2;
        }
        return String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                + "font-family=\"sans-serif\" font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n%s</svg>%n",
                WIDTH, y, body);
    }

    private static void text(StringBuilder body, int x, int y, String weight, String text) {
        body.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">%s</text>%n", x, y, weight,
                text.replace("&", "&amp;").replace("<", "&lt;")));
    }
}
