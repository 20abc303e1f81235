package org.torchnnapi.torchscript;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.SourceMap;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.pickle.PickleWriter;
import org.torchnnapi.torchscript.print.CodePrinter;
import org.torchnnapi.torchscript.print.PrintedCode;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * A module, loaded, changed or made in memory, as the parts of an archive: its objects with their attributes as they are now, and the code
 * of all their classes printed from the graphs as they are now. What was bundled as inputs is attributes and methods like any other.
 */
public final class ModuleWriter {
    private final ScriptObject module;
    private final BiFunction<Function, Object[], Object> interpreter;
    private java.util.function.Function<String, Map<String, Object>> fieldDefaults = name -> Map.of();
    private boolean debugInfo = true;

    /** @param interpreter runs a method on arguments, for {@code __getstate__} */
    public ModuleWriter(ScriptObject module, BiFunction<Function, Object[], Object> interpreter) {
        this.module = module;
        this.interpreter = interpreter;
    }

    /** @param defaults default values by field of the named tuple of that qualified name, empty for none; at first there are none */
    public ModuleWriter fieldDefaults(java.util.function.Function<String, Map<String, Object>> defaults) {
        fieldDefaults = defaults;
        return this;
    }

    /** Whether to write the Python lines that code was made from, as far as they are known; at first it is so. */
    public ModuleWriter debugInfo(boolean wanted) {
        debugInfo = wanted;
        return this;
    }

    /**
     * @param folder top folder of the archive, by convention the target file's stem
     * @return a writer with data, code, constants and debug information; extra files may be added to it
     * @throws ArchiveException         if an attribute holds what no archive can, such as a future
     * @throws IllegalArgumentException if two classes share a name
     */
    public ArchiveWriter archive(String folder) {
        ValueWriter values = new ValueWriter(interpreter);
        Object data = values.tree(module);
        CodePrinter printer = new CodePrinter(fieldDefaults);
        values.classes().forEach(printer::add);
        PrintedCode code = printer.print();
        ArchiveWriter writer = new ArchiveWriter(folder, code.version()).data(data);
        code.sources().forEach(writer::source);
        if (debugInfo) {
            code.marks().forEach((record, marks) -> {
                if (!marks.isEmpty()) {
                    writer.debugInfo(record, debugInfo(marks));
                }
            });
        }
        return writer.constants(code.constants().stream().map(values::tree).toList());
    }

    /** The content of a {@code .debug_pkl}. */
    private static ByteBuffer debugInfo(List<PrintedCode.Mark> marks) {
        TreeMap<Integer, SourceMap.Position> ranges = new TreeMap<>();
        for (PrintedCode.Mark mark : marks) {
            SourceRange.Python python = mark.range().python();
            ranges.put(mark.offset(), python == null ? null : new SourceMap.Position(python.file(), python.line(), python.text()));
        }
        return ByteBuffer.wrap(PickleWriter.write(SourceMap.tree(ranges), storage -> {
            throw new ArchiveException("storage in debug information (expected: numbers and text)");
        }));
    }
}
