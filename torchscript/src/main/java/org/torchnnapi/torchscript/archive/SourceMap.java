package org.torchnnapi.torchscript.archive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Where the TorchScript text of one archive entry comes from: the content of its {@code .debug_pkl}, which lists text
 * offsets in ascending order, each with the Python source that the text up to the next offset was compiled from.
 */
public final class SourceMap {
    /** The map of entries without debug information. */
    public static final SourceMap EMPTY =
            new SourceMap(new int[0], new ScriptTuple[0], new SourceTexts(ScriptTuple.of()));

    private static final String MAGIC = "FORMAT_WITH_STRING_TABLE";

    /**
     * A line of Python.
     *
     * @param file as the compiler knew it
     * @param line 1-based
     * @param text that line, without indentation, and of a long one some hundred characters; the call stack's innermost
     *     frame for traced code
     */
    public record Position(String file, int line, String text) {}

    private final int[] offsets;
    /** Entries of the record, each {@code (offset, range, tag)}. */
    private final ScriptTuple[] entries;

    private final SourceTexts texts;

    private SourceMap(int[] offsets, ScriptTuple[] entries, SourceTexts texts) {
        this.offsets = offsets;
        this.entries = entries;
        this.texts = texts;
    }

    /** The Python position of the TorchScript text at a character offset, or null if there is none. */
    public Position lookup(int offset) {
        int at = Arrays.binarySearch(offsets, offset);
        int index = at >= 0 ? at : -at - 2;
        return index < 0 ? null : texts.position(entries[index].get(1));
    }

    /**
     * The value of a {@code .debug_pkl}, the inverse of {@link #of}.
     *
     * @param ranges places by the offset at which their text begins, in ascending order; a place that is not known is
     *     null
     * @param firstTag number of the first one, by which byte code refers to it, and which no other entry of the archive
     *     has
     */
    public static Object tree(SortedMap<Integer, Position> ranges, long firstTag) {
        Map<String, Long> strings = new LinkedHashMap<>();
        strings.put("", 0L);
        List<Object> entries = new ArrayList<>();
        Map<Position, ScriptTuple> known = new HashMap<>();
        ranges.forEach((offset, position) -> entries.add(new ScriptTuple(
                List.of(
                        (long) offset,
                        known.computeIfAbsent(
                                position == null ? new Position("", 0, "") : position, p -> range(p, strings)),
                        firstTag + entries.size()),
                null)));
        return new ScriptTuple(
                List.of(MAGIC, new ScriptTuple(List.copyOf(strings.keySet()), null), new ScriptTuple(entries, null)),
                null);
    }

    private static ScriptTuple range(Position position, Map<String, Long> strings) {
        List<Long> lines = position.text().isEmpty() ? List.of() : List.of(number(position.text() + "\n", strings));
        ScriptTuple source = new ScriptTuple(
                List.of(new PickledList("List[int]", lines), number(position.file(), strings), (long) position.line()),
                null);
        return new ScriptTuple(List.of(source, 0L, (long) position.text().length()), null);
    }

    private static long number(String text, Map<String, Long> strings) {
        return strings.computeIfAbsent(text, t -> (long) strings.size());
    }

    /**
     * Reads the value of a {@code .debug_pkl}: {@code (magic, (strings..), ((offset, ((line indexes, file index, first
     * line), start, end), tag), ..))}. Ranges that do not make sense have no position: debug information is not needed
     * to run a model, so damage in it must not keep one from loading.
     */
    static SourceMap of(Object pickled) {
        if (!(pickled instanceof ScriptTuple t)
                || t.size() != 3
                || !MAGIC.equals(t.get(0))
                || !(t.get(1) instanceof ScriptTuple strings)
                || !(t.get(2) instanceof ScriptTuple ranges)) {
            return EMPTY;
        }
        int count = 0;
        int[] offsets = new int[ranges.size()];
        ScriptTuple[] entries = new ScriptTuple[ranges.size()];
        for (Object item : ranges.items()) {
            if (item instanceof ScriptTuple entry
                    && entry.size() >= 2
                    && entry.get(0) instanceof Long offset
                    && offset >= (count == 0 ? 0 : offsets[count - 1])
                    && offset <= Integer.MAX_VALUE) {
                count += count > 0 && offset == offsets[count - 1] ? 0 : 1;
                offsets[count - 1] = offset.intValue();
                entries[count - 1] = entry;
            }
        }
        return new SourceMap(Arrays.copyOf(offsets, count), Arrays.copyOf(entries, count), new SourceTexts(strings));
    }

    /** Adds the places by their tags; where one comes twice, the first counts. */
    void addTagged(Map<Long, Supplier<Position>> places) {
        for (ScriptTuple entry : entries) {
            if (entry.size() == 3 && entry.get(2) instanceof Long tag) {
                places.putIfAbsent(tag, () -> texts.position(entry.get(1)));
            }
        }
    }
}
