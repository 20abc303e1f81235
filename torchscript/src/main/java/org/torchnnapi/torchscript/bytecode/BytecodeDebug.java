package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What PyTorch's runtimes find lines of Python by: a number for each instruction ({@code mobile_debug_handles.pkl}),
 * and for each number the line, by the tag that a {@code .debug_pkl} of the archive gives it, with the calls that lead
 * there ({@code callstack_debug_map.pkl}).
 */
public final class BytecodeDebug {
    /** Name of the table of a function's numbers. */
    static final String TABLE = "function_debug_handles";

    private final long firstTag;
    private final Map<SourceRange.Python, Long> tags = new LinkedHashMap<>();
    private final Map<ScriptTuple, Long> handles = new LinkedHashMap<>();
    private final List<Object> functions = new ArrayList<>();

    /** @param firstTag the least that no other line of the archive has */
    public BytecodeDebug(long firstTag) {
        this.firstTag = firstTag;
    }

    void add(WrittenFunction written) {
        List<Object> numbers = new ArrayList<>();
        for (CodePlace place : written.places()) {
            ScriptTuple entry = ScriptTuple.of(tag(place.range()), place.kind(), stack(place.call(), null));
            numbers.add(handles.computeIfAbsent(entry, key -> (long) handles.size()));
        }
        ScriptTuple table = ScriptTuple.of(TABLE, ScriptTuple.of(new PickledList("List[int]", numbers)));
        functions.add(ScriptTuple.of(written.function().name(), ScriptTuple.of(table)));
    }

    /** The tag of a line; those that are not known have one too. */
    private long tag(SourceRange range) {
        SourceRange.Python python = range.python();
        return tags.computeIfAbsent(
                python == null ? new SourceRange.Python("", 0, "") : python, key -> firstTag + tags.size());
    }

    /** Calls from the outermost on. */
    private Object stack(CallSite call, Object callee) {
        if (call == null) {
            return callee;
        }
        Object instance = call.type() == null ? null : ScriptTuple.of(call.type(), call.instance());
        return stack(call.outer(), ScriptTuple.of(instance, tag(call.range()), callee, call.function()));
    }

    /** The value tree of {@code mobile_debug_handles.pkl}. */
    public Object handles(long version) {
        List<Object> all = new ArrayList<>();
        all.add(version);
        all.addAll(functions);
        return new ScriptTuple(all, null);
    }

    /** The value tree of {@code callstack_debug_map.pkl}. */
    public Object callStacks() {
        List<Object> all = new ArrayList<>();
        handles.forEach((entry, handle) -> all.add(ScriptTuple.of(handle, entry.get(0), entry.get(1), entry.get(2))));
        return new ScriptTuple(all, null);
    }

    /** The lines in the order of their tags; a line of no file stands for those that are not known. */
    public List<SourceRange.Python> lines() {
        return List.copyOf(tags.keySet());
    }
}
