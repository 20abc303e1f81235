package org.torchnnapi.cli.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.torchnnapi.tensor.platform.Strings;

/** Aligned columns of text, each cell in one line ({@link ShownText}); cells that read as numbers are aligned right. */
public final class TextTable {
    /** What is wider stands out of its column: a row is not as long as the longest name of a file. */
    private static final int MAX_WIDTH = 80;

    private static final int MAX_CELL = 1000;
    private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9][0-9.,]*( ?(%|x|ms|us|s|B|KB|MB|KiB|MiB))?");

    private final List<String[]> rows = new ArrayList<>();

    public TextTable(String... header) {
        rows.add(header);
    }

    public TextTable row(Object... cells) {
        if (cells.length != rows.get(0).length) {
            throw new IllegalArgumentException(
                    "cells: " + cells.length + " (expected: " + rows.get(0).length + ", one per column)");
        }
        String[] row = new String[cells.length];
        for (int i = 0; i < cells.length; i++) {
            row[i] = ShownText.line(Strings.beginning(String.valueOf(cells[i]), MAX_CELL));
        }
        rows.add(row);
        return this;
    }

    @Override
    public String toString() {
        int columns = rows.get(0).length;
        int[] widths = new int[columns];
        boolean[] numeric = new boolean[columns];
        Arrays.fill(numeric, rows.size() > 1);
        for (int r = 0; r < rows.size(); r++) {
            for (int c = 0; c < columns; c++) {
                String cell = rows.get(r)[c];
                widths[c] = Math.max(widths[c], Math.min(cell.length(), MAX_WIDTH));
                numeric[c] &= r == 0
                        || cell.isEmpty()
                        || cell.equals("-")
                        || NUMBER.matcher(cell).matches();
            }
        }
        StringBuilder text = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            StringBuilder line = new StringBuilder();
            for (int c = 0; c < columns; c++) {
                String cell = rows.get(r)[c];
                String padding = Strings.repeat(" ", Math.max(0, widths[c] - cell.length()));
                line.append(c == 0 ? "" : "  ").append(numeric[c] ? padding + cell : cell + padding);
            }
            text.append(Strings.stripEnd(line.toString())).append('\n');
            if (r == 0) {
                int total = 2 * (columns - 1);
                for (int width : widths) {
                    total += width;
                }
                text.append(Strings.repeat("-", total)).append('\n');
            }
        }
        return text.toString();
    }
}
