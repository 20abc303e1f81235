package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.SourceRange;

/** The lines of Python that nodes come from, as their stack traces say. */
final class PlaceTable implements SourceRange.Debug {
    private final String entry;
    private final List<SourceRange.Python> lines = new ArrayList<>();

    /** @param entry the text that the nodes are in */
    PlaceTable(String entry) {
        this.entry = entry;
    }

    /** The place of a node, of the module that it was called in. */
    SourceRange add(Json metadata) {
        lines.add(line(metadata.get("stack_trace").textOr("")));
        SourceRange range = new SourceRange(entry, lines.size(), lines.size() - 1, this);
        String module = module(metadata.get("nn_module_stack").textOr(""));
        return module.isEmpty() ? range : range.in(module);
    }

    @Override
    public SourceRange.Python find(String file, int offset) {
        return offset >= 0 && offset < lines.size() ? lines.get(offset) : null;
    }

    /** The last {@code File "..", line N, in f} of a trace, and the line of text behind it; null if there is none. */
    static SourceRange.Python line(String trace) {
        int start = trace.lastIndexOf("File \"");
        int end = start < 0 ? -1 : trace.indexOf("\", line ", start);
        if (end < 0) {
            return null;
        }
        int number = 0;
        int at = end + "\", line ".length();
        for (; at < trace.length() && Character.isDigit(trace.charAt(at)) && number < 100_000_000; at++) {
            number = number * 10 + trace.charAt(at) - '0';
        }
        int newline = trace.indexOf('\n', at);
        int next = newline < 0 ? -1 : trace.indexOf('\n', newline + 1);
        String text = newline < 0 ? "" : trace.substring(newline + 1, next < 0 ? trace.length() : next);
        return new SourceRange.Python(trace.substring(start + "File \"".length(), end), number, Strings.strip(text));
    }

    /** The path of the innermost module: the second part of the last of {@code key,path,type;..}. */
    static String module(String stack) {
        int last = stack.lastIndexOf(';') + 1;
        int comma = stack.indexOf(',', last);
        int end = comma < 0 ? -1 : stack.indexOf(',', comma + 1);
        String path = end < 0 ? "" : stack.substring(comma + 1, end);
        return isPath(path) ? path : "";
    }

    private static boolean isPath(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (!Character.isLetterOrDigit(c) && c != '_' && c != '.') {
                return false;
            }
        }
        return true;
    }
}
