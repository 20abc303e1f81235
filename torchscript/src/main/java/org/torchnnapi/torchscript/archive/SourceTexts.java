package org.torchnnapi.torchscript.archive;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The Python texts of debug information, which are lists of numbers of strings that many ranges and texts share. They
 * are never joined: of a range no more is read than the line that it begins in, and of that some hundred characters.
 * Safe for use by several threads.
 */
final class SourceTexts {
    /** Characters before and behind the beginning of a range that may be of its line. */
    private static final int MAX_LINE = 300;

    private final ScriptTuple strings;
    /** Line ends of each string, one more than there are; 0 for those that were not counted yet. */
    private final int[] lineEnds;
    /** By the list that a text is. */
    private final Map<PickledList, Joints> joints = new IdentityHashMap<>();

    /**
     * Where the strings of a text begin.
     *
     * @param characters before each, and of the whole text at the end
     * @param lines before each
     */
    private record Joints(long[] characters, long[] lines) {}

    /** @param strings by number */
    SourceTexts(ScriptTuple strings) {
        this.strings = strings;
        lineEnds = new int[strings.size()];
    }

    /**
     * The line that a range begins in.
     *
     * @param range {@code ((numbers of strings, number of the file's name, first line), start, end)}
     * @return null if it makes no sense
     */
    synchronized SourceMap.Position position(Object range) {
        if (!(range instanceof ScriptTuple r)
                || r.size() < 3
                || !(r.get(0) instanceof ScriptTuple source)
                || source.size() < 3
                || !(r.get(1) instanceof Long start)
                || !(source.get(1) instanceof Long fileIndex)
                || !(source.get(2) instanceof Long firstLine)
                || !(source.get(0) instanceof PickledList text)) {
            return null;
        }
        String file = string(fileIndex);
        Joints known = joints.computeIfAbsent(text, this::joints);
        if (file.isEmpty()
                || start < 0
                || start > known.characters[text.items().size()]
                || firstLine < 0
                || firstLine > Integer.MAX_VALUE / 2) {
            return null;
        }
        int at = pieceAt(known, start);
        String piece = at < text.items().size() ? string(text, at) : "";
        int from = (int) (start - known.characters[at]);
        long line = firstLine + known.lines[at] + newlines(piece, from);
        return line > Integer.MAX_VALUE
                ? null
                : new SourceMap.Position(file, (int) line, Strings.strip(line(text, at, piece, from)));
    }

    private static int pieceAt(Joints known, long start) {
        int found = Arrays.binarySearch(known.characters, start);
        int at = found >= 0 ? found : -found - 2;
        // Of strings that begin at the same character all but the last are empty.
        while (at + 1 < known.characters.length && known.characters[at + 1] == start) {
            at++;
        }
        return at;
    }

    private Joints joints(PickledList text) {
        int pieces = text.items().size();
        Joints made = new Joints(new long[pieces + 1], new long[pieces + 1]);
        for (int i = 0; i < pieces; i++) {
            made.characters[i + 1] = made.characters[i] + string(text, i).length();
            made.lines[i + 1] = made.lines[i] + lineEnds(text, i);
        }
        return made;
    }

    private int lineEnds(PickledList text, int piece) {
        String string = string(text, piece);
        if (string.isEmpty()) {
            return 0;
        }
        int number = ((Long) text.items().get(piece)).intValue();
        if (lineEnds[number] == 0) {
            lineEnds[number] = 1 + newlines(string, string.length());
        }
        return lineEnds[number] - 1;
    }

    private static int newlines(String text, int end) {
        int count = 0;
        for (int i = text.indexOf('\n'); i >= 0 && i < end; i = text.indexOf('\n', i + 1)) {
            count++;
        }
        return count;
    }

    /** The line around a character of a piece, which may begin in those before it and end in those behind. */
    private String line(PickledList text, int at, String piece, int from) {
        StringBuilder line = new StringBuilder();
        int begin = piece.lastIndexOf('\n', from - 1) + 1;
        line.append(piece, Math.max(begin, from - MAX_LINE), from);
        for (int i = at - 1; begin == 0 && i >= 0 && line.length() < MAX_LINE; i--) {
            String before = string(text, i);
            begin = before.lastIndexOf('\n') + 1;
            line.insert(0, before.substring(Math.max(begin, before.length() - MAX_LINE)));
        }
        int end = piece.indexOf('\n', from);
        int room = line.length() + MAX_LINE;
        line.append(piece, from, Math.min(end < 0 ? piece.length() : end, from + MAX_LINE));
        for (int i = at + 1; end < 0 && i < text.items().size() && line.length() < room; i++) {
            String behind = string(text, i);
            end = behind.indexOf('\n');
            line.append(behind, 0, Math.min(end < 0 ? behind.length() : end, MAX_LINE));
        }
        return line.toString();
    }

    private String string(PickledList text, int piece) {
        return text.items().get(piece) instanceof Long number ? string(number) : "";
    }

    private String string(long number) {
        return number >= 0 && number < strings.size() && strings.get((int) number) instanceof String s ? s : "";
    }
}
