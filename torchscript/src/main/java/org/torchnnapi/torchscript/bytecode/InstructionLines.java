package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The lines of Python of byte code's instructions, the inverse of {@link BytecodeDebug}. What does not make sense has
 * no line: a model runs without. Not safe for use by several threads.
 */
final class InstructionLines {
    static final InstructionLines NONE = new InstructionLines(null, null, tag -> null);
    private static final String RECORD = "bytecode.pkl";
    private static final int MAX_CALLS = 1000;

    private final Map<String, List<?>> handles = new HashMap<>();
    private final Map<Object, ScriptTuple> entries = new HashMap<>();
    private final LongFunction<SourceRange.Python> lines;

    /**
     * @param handles value tree of {@code mobile_debug_handles.pkl}, or null
     * @param callStacks value tree of {@code callstack_debug_map.pkl}, or null
     * @param lines by tag; null where there is none
     */
    InstructionLines(Object handles, Object callStacks, LongFunction<SourceRange.Python> lines) {
        this.lines = lines;
        for (Object item : items(handles)) {
            List<?> function = items(item);
            List<?> tables = function.size() == 2 ? items(function.get(1)) : List.of();
            List<?> table = tables.isEmpty() ? List.of() : items(tables.get(0));
            List<?> content =
                    table.size() == 2 && BytecodeDebug.TABLE.equals(table.get(0)) ? items(table.get(1)) : List.of();
            if (!content.isEmpty()
                    && function.get(0) instanceof String name
                    && content.get(0) instanceof PickledList list) {
                this.handles.put(name, list.items());
            }
        }
        for (Object item : items(callStacks)) {
            if (item instanceof ScriptTuple entry && entry.size() >= 4) {
                entries.put(entry.get(0), entry);
            }
        }
    }

    private static List<?> items(Object tree) {
        return tree instanceof ScriptTuple tuple ? tuple.items() : List.of();
    }

    /** The place that an instruction was made of, with the path of the module whose code it is. */
    SourceRange of(String function, int instruction) {
        List<?> numbers = handles.getOrDefault(function, List.of());
        ScriptTuple entry = instruction < numbers.size() ? entries.get(numbers.get(instruction)) : null;
        SourceRange.Python line = entry != null && entry.get(1) instanceof Long tag ? lines.apply(tag) : null;
        return line == null
                ? SourceRange.NONE
                : new SourceRange(RECORD, instruction + 1, instruction, (file, offset) -> line).in(path(entry.get(3)));
    }

    private static String path(Object stack) {
        List<String> names = new ArrayList<>();
        Object call = stack;
        while (call instanceof ScriptTuple tuple && tuple.size() >= 4 && names.size() < MAX_CALLS) {
            List<?> instance = items(tuple.get(0));
            names.add(instance.size() == 2 && instance.get(1) instanceof String name ? name : "");
            call = tuple.get(2);
        }
        names.removeIf(String::isEmpty);
        return String.join(".", names);
    }
}
