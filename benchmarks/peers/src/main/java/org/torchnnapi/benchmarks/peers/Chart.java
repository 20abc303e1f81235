package org.torchnnapi.benchmarks.peers;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A bar chart as SVG: a panel for each model and a column for each thread count; the bars of a panel share one scale,
 * up to its slowest engine, or where that lies far off, up to {@link #LONGEST} times the second fastest, with the bar
 * cut.
 */
final class Chart {
    private static final int ROW = 17;
    private static final int BAR_HEIGHT = 11;
    private static final int LABELS = 190;
    private static final int BARS = 230;
    private static final int COLUMN = BARS + 90;
    private static final int TOP = 44;
    private static final double LONGEST = 4;

    private final StringBuilder body = new StringBuilder();

    private Chart() {}

    static String draw(List<Measurement> all) {
        return new Chart().drawAll(all);
    }

    private String drawAll(List<Measurement> all) {
        List<Integer> counts =
                all.stream().map(Measurement::threads).distinct().sorted().toList();
        for (int i = 0; i < counts.size(); i++) {
            text(
                    LABELS + i * COLUMN,
                    26,
                    "class=\"head\"",
                    counts.get(i) + (counts.get(i) == 1 ? " thread" : " threads"));
        }
        int y = TOP;
        for (List<Measurement> model : grouped(all, Measurement::model).values()) {
            y = panel(model, counts, y) + ROW / 2;
        }
        int width = LABELS + counts.size() * COLUMN;
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
                font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#333">
                <style>.head { font-size: 13px; font-weight: bold } .model { font-size: 12px; font-weight: bold } \
                .ours { fill: #1f6fb4 } \
                .peer { fill: #bdbdbd } .wrong { fill: #f0c9c2 }</style>
                <rect width="100%%" height="100%%" fill="white"/>
                %3$s</svg>
                """, width, y, body);
    }

    private int panel(List<Measurement> model, List<Integer> counts, int top) {
        body.append(String.format(
                Locale.ROOT,
                "<line x1=\"8\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>%n",
                LABELS + counts.size() * COLUMN - 8,
                top - 8,
                top - 8));
        text(8, top + 8, "class=\"model\"", model.get(0).model() + ", ms");
        int y = top + ROW + 8;
        double[] sorted =
                model.stream().mapToDouble(Measurement::median).sorted().toArray();
        double full = Math.min(sorted[sorted.length - 1], LONGEST * sorted[Math.min(1, sorted.length - 1)]);
        for (Map.Entry<String, List<Measurement>> engine :
                grouped(model, Measurement::engine).entrySet()) {
            text(16, y, "", engine.getKey());
            for (Measurement m : engine.getValue()) {
                bar(LABELS + counts.indexOf(m.threads()) * COLUMN, y, m, full);
            }
            y += ROW;
        }
        return y;
    }

    private void bar(int x, int y, Measurement m, double full) {
        double length = BARS * Math.min(m.median() / full, 1);
        body.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"1.5\" class=\"%s\"/>%n",
                x,
                y - BAR_HEIGHT + 2,
                length,
                BAR_HEIGHT,
                m.ours() ? "ours" : m.comparable() ? "peer" : "wrong"));
        if (m.median() > full) {
            body.append(String.format(
                    Locale.ROOT,
                    "<path d=\"M%.1f %d l6 %d l4 0 l-6 %d z\" fill=\"white\"/>%n",
                    x + length - 22,
                    y + 3,
                    -BAR_HEIGHT - 2,
                    BAR_HEIGHT + 2));
        }
        text(
                (int) (x + length + 5),
                y,
                "",
                String.format(Locale.ROOT, "%.2f%s", m.median(), m.comparable() ? "" : " (wrong)"));
    }

    private static Map<String, List<Measurement>> grouped(List<Measurement> all, Function<Measurement, String> key) {
        return all.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }

    private void text(int x, int y, String attributes, String text) {
        body.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" %s>%s</text>%n",
                x,
                y,
                attributes,
                text.replace("&", "&amp;").replace("<", "&lt;")));
    }
}
