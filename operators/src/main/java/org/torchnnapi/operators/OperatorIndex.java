package org.torchnnapi.operators;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.platform.InputStreams;

/**
 * Lines of a file that the build writes, sorted by the operator's name that each begins with. They are searched where
 * they are: a table of all of them would take longer to fill than all that is looked up in it.
 */
public final class OperatorIndex {
    /** Between the parts of a line. */
    public static final char SEPARATOR = '\t';

    private final String text;

    private OperatorIndex(String text) {
        this.text = text;
    }

    /**
     * Reads an index and closes the stream.
     *
     * @param resource of that name, or null if it was not found
     */
    public static OperatorIndex read(InputStream resource, String name) {
        if (resource == null) {
            throw new IllegalStateException(
                    name + " is missing (expected: beside the class that reads it; Maven writes it after compiling)");
        }
        try (resource) {
            return new OperatorIndex(new String(InputStreams.readAll(resource), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    /** An index of lines in any order, which is kept among those of one name. */
    public static String write(List<String> lines) {
        List<String> sorted = new ArrayList<>(lines);
        sorted.sort((a, b) -> nameOf(a).compareTo(nameOf(b)));
        return String.join("\n", sorted) + "\n";
    }

    /** The lines of an operator such as {@code aten::add}, in their order. */
    public List<String> find(String name) {
        int low = 0;
        int high = text.length();
        while (low < high) {
            int start = text.lastIndexOf('\n', (low + high) / 2 - 1) + 1;
            if (compare(start, name) < 0) {
                low = text.indexOf('\n', (low + high) / 2) + 1;
            } else {
                high = start;
            }
        }
        List<String> lines = new ArrayList<>(2);
        while (low < text.length() && compare(low, name) == 0) {
            int end = text.indexOf('\n', low);
            lines.add(text.substring(low, end));
            low = end + 1;
        }
        return lines;
    }

    /** Names of all operators, each once. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        int end;
        for (int start = 0; start < text.length(); start = end + 1) {
            end = text.indexOf('\n', start);
            String name = nameOf(text.substring(start, end));
            if (names.isEmpty() || !names.get(names.size() - 1).equals(name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** The name that a line or schema begins with, without that of an overload. */
    static String nameOf(String line) {
        int end = 0;
        while (end < line.length() && !endsName(line.charAt(end))) {
            end++;
        }
        return line.substring(0, end);
    }

    /** Of the name of the line that begins at {@code start} and another. */
    private int compare(int start, String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = text.charAt(start + i);
            if (endsName(c)) {
                return -1;
            }
            if (c != name.charAt(i)) {
                return c - name.charAt(i);
            }
        }
        return endsName(text.charAt(start + name.length())) ? 0 : 1;
    }

    private static boolean endsName(char c) {
        return c == '.' || c == '(' || c == SEPARATOR || c == '\n';
    }
}
