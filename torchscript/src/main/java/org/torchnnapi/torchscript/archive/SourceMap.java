package org.torchnnapi.torchscript.archive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Where the TorchScript text of one archive entry comes from: the content of its {@code .debug_pkl}, which lists text
 * offsets in ascending order, each with the Python source that the text up to the next offset was compiled from.
 */
public final class SourceMap {
    /** The map of entries without debug information. */
    public static final SourceMap EMPTY = new SourceMap(new int[0], new Position[0]);
    private static final String MAGIC = "FORMAT_WITH_STRING_TABLE";

    /**
     * A line of Python.
     *
     * @param file as the compiler knew it
     * @param line 1-based
     * @param text that line, without indentation; the call stack's innermost frame for traced code
     */
    public record Position(String file, int line, String text) {
    }

    private final int[] offsets;
    private final Position[] positions;

    private SourceMap(int[] offsets, Position[] positions) {
        this.offsets = offsets;
        this.positions = positions;
    }

    /** The Python position of the TorchScript text at a character offset, or null if there is none. */
    public Position lookup(int offset) {
        int at = Arrays.binarySearch(offsets, offset);
        int index = at >= 0 ? at : -at - 2;
        return index < 0 ? null : positions[index];
    }

    /**
     * The value of a {@code .debug_pkl}, the inverse of {@link #of}.
     *
     * @param ranges   places by the offset at which their text begins, in ascending order; a place that is not known is null
     * @param firstTag number of the first one, by which byte code refers to it, and which no other entry of the archive has
     */
    public static Object tree(SortedMap<Integer, Position> ranges, long firstTag) {
        Map<String, Long> strings = new LinkedHashMap<>();
        strings.put("", 0L);
        List<Object> entries = new ArrayList<>();
        Map<Position, ScriptTuple> known = new HashMap<>();
        ranges.forEach((offset, position) -> entries.add(new ScriptTuple(List.of((long) offset,
            known.computeIfAbsent(position == null ? new Position("", 0, "") : position, p -> range(p, strings)), firstTag + entries.size()), null)));
        return new ScriptTuple(List.of(MAGIC, new ScriptTuple(List.copyOf(strings.keySet()), null), new ScriptTuple(entries, null)), null);
    }

    private static ScriptTuple range(Position position, Map<String, Long> strings) {
        List<Long> lines = position.text().isEmpty() ? List.of() : List.of(number(position.text() + "\n", strings));
        ScriptTuple source = new ScriptTuple(List.of(new PickledList("List[int]", lines), number(position.file(), strings), (long) position.line()), null);
        return new ScriptTuple(List.of(source, 0L, (long) position.text().length()), null);
    }

    private static long number(String text, Map<String, Long> strings) {
        return strings.computeIfAbsent(text, t -> (long) strings.size());
    }

    /**
     * Reads the value of a {@code .debug_pkl}: {@code (magic, (strings..), ((offset, ((line indexes, file index, first
     * line), start, end), tag), ..))}. Ranges that do not make sense have no position: debug information is not needed to
     * run a model, so damage in it must not keep one from loading.
     */
    static SourceMap of(Object pickled) {
        if (!(pickled instanceof ScriptTuple t) || t.size() != 3 || !MAGIC.equals(t.get(0))
            || !(t.get(1) instanceof ScriptTuple strings) || !(t.get(2) instanceof ScriptTuple ranges)) {
            return EMPTY;
        }
        Map<Object, String> texts = new IdentityHashMap<>();
        List<Integer> offsets = new ArrayList<>();
        List<Position> positions = new ArrayList<>();
        for (Object item : ranges.items()) {
            if (item instanceof ScriptTuple range && range.size() >= 2 && range.get(0) instanceof Long offset
                && offset >= (offsets.isEmpty() ? 0 : offsets.get(offsets.size() - 1)) && offset <= Integer.MAX_VALUE) {
                Position position = position(range.get(1), strings, texts);
                if (!offsets.isEmpty() && offset.intValue() == offsets.get(offsets.size() - 1)) {
                    positions.set(positions.size() - 1, position);
                } else {
                    offsets.add(offset.intValue());
                    positions.add(position);
                }
            }
        }
        return new SourceMap(offsets.stream().mapToInt(Integer::intValue).toArray(), positions.toArray(new Position[0]));
    }

    /** Adds the places of a {@code .debug_pkl} by their tags; where one comes twice, the first counts. */
    static void addTagged(Object pickled, Map<Long, Position> places) {
        if (pickled instanceof ScriptTuple t && t.size() == 3 && MAGIC.equals(t.get(0)) && t.get(1) instanceof ScriptTuple strings
            && t.get(2) instanceof ScriptTuple ranges) {
            Map<Object, String> texts = new IdentityHashMap<>();
            for (Object item : ranges.items()) {
                Position position = item instanceof ScriptTuple range && range.size() == 3 ? position(range.get(1), strings, texts) : null;
                if (position != null && ((ScriptTuple) item).get(2) instanceof Long tag) {
                    places.putIfAbsent(tag, position);
                }
            }
        }
    }

    private static Position position(Object range, ScriptTuple strings, Map<Object, String> texts) {
        if (!(range instanceof ScriptTuple r) || r.size() < 3 || !(r.get(0) instanceof ScriptTuple source) || source.size() < 3
            || !(r.get(1) instanceof Long start) || !(source.get(1) instanceof Long fileIndex)
            || !(source.get(2) instanceof Long firstLine) || !(source.get(0) instanceof PickledList lines)) {
            return null;
        }
        String text = texts.computeIfAbsent(source, key -> join(lines, strings));
        String file = string(strings, fileIndex);
        if (file.isEmpty() || start < 0 || start > text.length() || firstLine < 0 || firstLine > Integer.MAX_VALUE / 2) {
            return null;
        }
        int from = start.intValue();
        int newlines = (int) text.substring(0, from).chars().filter(c -> c == '\n').count();
        int lineStart = text.lastIndexOf('\n', from - 1) + 1;
        int lineEnd = text.indexOf('\n', from);
        return new Position(file, firstLine.intValue() + newlines,
            Strings.strip(text.substring(lineStart, lineEnd < 0 ? text.length() : lineEnd)));
    }

    private static String join(PickledList lines, ScriptTuple strings) {
        StringBuilder text = new StringBuilder();
        for (Object line : lines.items()) {
            if (text.length() > 1 << 24) {
                break;
            }
            if (line instanceof Long index) {
                text.append(string(strings, index));
            }
        }
        return text.toString();
    }

    private static String string(ScriptTuple strings, long index) {
        return index >= 0 && index < strings.size() && strings.get((int) index) instanceof String s ? s : "";
    }
}
