package org.torchnnapi.torchscript;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.torchnnapi.torchscript.archive.SourceMap;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.archive.ZipReader;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.BytecodeLoader;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Modules of TorchScript archives, whose classes are source text or byte code. */
public final class TorchScriptSource implements ModuleSource {
    private final TorchScriptArchive archive;

    /** A source that reads the archive's records when they are asked for. */
    public TorchScriptSource(TorchScriptArchive archive) {
        this.archive = archive;
    }

    /** The file. */
    public TorchScriptArchive archive() {
        return archive;
    }

    @Override
    public Made make(Host host) {
        Code source = new Code(archive);
        CodeLoader code = new CodeLoader(source, host.operators());
        source.constants = new ValueReader(code::type, host.customClasses(), host.interpreter());
        if (!(archive.data() instanceof PickledObject root)) {
            throw new ArchiveException("data.pkl: no object (expected: a module)");
        }
        Object value = new ValueReader(types(code, host), host.customClasses(), host.interpreter()).read(root, null);
        if (!(value instanceof ScriptObject module)) {
            throw new ArchiveException("data.pkl: an object of " + root.className() + " (expected: a module)");
        }
        return new Made(module, code, Map.of());
    }

    /**
     * Classes come from the source, or, in an archive for the lite interpreter that has none or passes it over, from
     * its byte code.
     */
    private java.util.function.Function<String, Type> types(CodeLoader code, Host host) {
        if (!archive.hasBytecode() || !archive.sources().isEmpty()) {
            return code::type;
        }
        try {
            return new BytecodeLoader(
                            archive.bytecode(),
                            archive.data(),
                            (tree, types) ->
                                    new ValueReader(types, host.customClasses(), host.interpreter()).read(tree, null),
                            host.operators(),
                            archive.version())
                    .lines(
                            () -> archive.debugTree("mobile_debug_handles.pkl"),
                            () -> archive.debugTree("callstack_debug_map.pkl"),
                            places())::type;
        } catch (BytecodeException e) {
            throw new ArchiveException("bytecode.pkl: " + e.getMessage(), e);
        }
    }

    /** Lines by tag, read with the first one that is asked for. */
    private LongFunction<SourceRange.Python> places() {
        AtomicReference<LongFunction<SourceMap.Position>> read = new AtomicReference<>();
        return tag -> {
            if (read.get() == null) {
                read.set(archive.taggedPositions());
            }
            SourceMap.Position place = read.get().apply(tag);
            return python(place);
        };
    }

    private static SourceRange.Python python(SourceMap.Position at) {
        return at == null ? null : new SourceRange.Python(at.file(), at.line(), at.text());
    }

    @Override
    public Map<String, ByteBuffer> extraFiles() {
        return archive.extraFiles();
    }

    @Override
    public boolean fillsOptionals() {
        return archive.hasBytecode();
    }

    @Override
    public ModuleSource forLite() {
        TorchScriptArchive lite = archive.forLite();
        return lite == archive ? this : new TorchScriptSource(lite);
    }

    @Override
    public ZipReader zip() {
        return archive.zip();
    }

    @Override
    public long arrayBytes() {
        return archive.arrayBytes();
    }

    /** What compiling needs of the archive. */
    private static final class Code implements CodeArchive, SourceRange.Debug {
        private final TorchScriptArchive archive;
        private final Map<Integer, Object> read = new HashMap<>();
        private ValueReader constants;

        Code(TorchScriptArchive archive) {
            this.archive = archive;
        }

        @Override
        public String source(String entry) {
            return archive.source(entry);
        }

        @Override
        public synchronized Object constant(int index) {
            List<Object> trees = archive.constants();
            if (index < 0 || index >= trees.size()) {
                throw new IllegalArgumentException(
                        "CONSTANTS.c" + index + " (expected: one of " + trees.size() + " constants)");
            }
            return read.computeIfAbsent(index, i -> constants.read(trees.get(i), (Type) null));
        }

        @Override
        public ReadBudget budget() {
            return archive.zip().budget();
        }

        @Override
        public int operatorVersion() {
            return archive.version();
        }

        @Override
        public SourceRange locate(String entry, int line, int offset) {
            return new SourceRange(entry, line, offset, this);
        }

        @Override
        public SourceRange.Python find(String entry, int offset) {
            try {
                SourceMap.Position python = archive.sourceMap(entry).lookup(offset);
                return python(python);
            } catch (ArchiveException damaged) {
                // An error is told without its line of Python rather than not at all.
                return null;
            }
        }
    }
}
