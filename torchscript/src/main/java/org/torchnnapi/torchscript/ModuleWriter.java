package org.torchnnapi.torchscript;

import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.SourceMap;
import org.torchnnapi.torchscript.bytecode.BytecodeDebug;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.BytecodeWriter;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.pickle.PickleWriter;
import org.torchnnapi.torchscript.print.CodePrinter;
import org.torchnnapi.torchscript.print.PrintedCode;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * A module, loaded, changed or made in memory, as the parts of an archive: its objects with their attributes as they
 * are now, and the code of all their classes printed from the graphs as they are now. What was bundled as inputs is
 * attributes and methods like any other.
 */
public final class ModuleWriter {
    private final ScriptObject module;
    private final BiFunction<Function, Object[], Object> interpreter;
    private java.util.function.Function<String, Map<String, Object>> fieldDefaults = name -> Map.of();
    private boolean debugInfo = true;
    private boolean source = true;
    private LiteForm lite;
    private java.util.function.Function<Node, Function> decompositions = node -> null;

    /** @param interpreter runs a method on arguments, for {@code __getstate__} */
    public ModuleWriter(ScriptObject module, BiFunction<Function, Object[], Object> interpreter) {
        this.module = module;
        this.interpreter = interpreter;
    }

    /**
     * @param defaults default values by field of the named tuple of that qualified name, empty for none; at first there
     *     are none
     */
    public ModuleWriter fieldDefaults(java.util.function.Function<String, Map<String, Object>> defaults) {
        fieldDefaults = defaults;
        return this;
    }

    /**
     * What to write in byte code in the place of an operator that the target lacks.
     *
     * @param found what a node's operator is made of, or null; at first nothing is known of any
     */
    public ModuleWriter decompositions(java.util.function.Function<Node, Function> found) {
        decompositions = found;
        return this;
    }

    /** Whether to write the Python lines that code was made from, as far as they are known; at first it is so. */
    public ModuleWriter debugInfo(boolean wanted) {
        debugInfo = wanted;
        return this;
    }

    /** Whether to write source, which lite interpreters do without; at first it is so. */
    public ModuleWriter source(boolean wanted) {
        source = wanted;
        return this;
    }

    /** Adds byte code for a lite interpreter, of the newest version that it reads. */
    public ModuleWriter lite(LiteTarget wanted) {
        return lite(LiteForm.archive(wanted));
    }

    /** Adds byte code of some form. A FlatBuffer holds nothing else: no source, and no constants of it. */
    public ModuleWriter lite(LiteForm wanted) {
        lite = wanted;
        return this;
    }

    /**
     * @param folder top folder of the archive, by convention the target file's stem
     * @return a writer with data, code, constants and debug information; extra files may be added to it
     * @throws ArchiveException if an attribute holds what no archive can, such as a future
     * @throws IllegalArgumentException if two classes share a name
     * @throws BytecodeException if there is no byte code for the target; the message names all that is in the way
     */
    public ArchiveWriter archive(String folder) {
        ValueWriter values = new ValueWriter(interpreter);
        Object data = values.tree(module);
        CodePrinter printer = new CodePrinter(fieldDefaults);
        values.classes().forEach(printer::add);
        PrintedCode code = printer.print();
        // Byte code passes all that a newer meaning of an operator depends on.
        int version = lite == null
                ? code.version()
                : Math.min(code.version(), lite.target().fileFormat());
        ArchiveWriter writer = new ArchiveWriter(folder, version).data(data);
        if (source) {
            code.sources().forEach(writer::source);
        }
        long tags = 0;
        if (debugInfo && source) {
            for (Map.Entry<String, List<PrintedCode.Mark>> entry : code.marks().entrySet()) {
                if (!entry.getValue().isEmpty()) {
                    TreeMap<Integer, SourceMap.Position> ranges = new TreeMap<>();
                    entry.getValue()
                            .forEach(mark -> ranges.put(
                                    mark.offset(), position(mark.range().python())));
                    writer.debugInfo(entry.getKey(), pickle(SourceMap.tree(ranges, tags)));
                    tags += ranges.size();
                }
            }
        }
        if (lite != null) {
            BytecodeDebug debug = new BytecodeDebug(tags);
            writer.bytecode(new BytecodeWriter(lite, values::tree, debug)
                            .decompositions(decompositions)
                            .tree(module.type(), new LinkedHashSet<>(values.classes())))
                    .flatBuffer(lite.isFlatBuffer());
            if (debugInfo) {
                add(writer, debug, tags);
            }
        }
        return writer.constants(code.constants().stream().map(values::tree).collect(Streams.toList()));
    }

    /** What names the lines of byte code: lines in a record of their own, as their order is not that of any text. */
    private void add(ArchiveWriter writer, BytecodeDebug debug, long firstTag) {
        TreeMap<Integer, SourceMap.Position> lines = new TreeMap<>();
        debug.lines().forEach(line -> lines.put(lines.size(), line.file().isEmpty() ? null : position(line)));
        if (lines.values().stream().allMatch(Objects::isNull)) {
            return;
        }
        writer.bytecodeDebug("bytecode.debug_pkl", pickle(SourceMap.tree(lines, firstTag)));
        writer.bytecodeDebug("mobile_debug_handles.pkl", pickle(debug.handles(lite.version())));
        writer.bytecodeDebug("callstack_debug_map.pkl", pickle(debug.callStacks()));
    }

    private static SourceMap.Position position(SourceRange.Python python) {
        return python == null ? null : new SourceMap.Position(python.file(), python.line(), python.text());
    }

    private static ByteBuffer pickle(Object debugTree) {
        return ByteBuffer.wrap(PickleWriter.write(debugTree, storage -> {
            throw new ArchiveException("storage in debug information (expected: numbers and text)");
        }));
    }
}
