package org.torchnnapi.execution;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.ProgramMemory;
import org.torchnnapi.execution.interp.StageTime;
import org.torchnnapi.execution.specialise.LastingWrites;
import org.torchnnapi.execution.specialise.Specialiser;
import org.torchnnapi.kernels.MappedPages;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.ValueReader;
import org.torchnnapi.torchscript.ValueWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.SourceMap;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.BytecodeLoader;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * A loaded module: its object tree, its code, and an interpreter that runs its methods. Classes and graphs are built when
 * they are first needed. Safe for use by several threads: calls run at the same time, each in memory of its own, unless one may write to
 * attributes or to what it did not make ({@link #callsRunAlone}); such a call waits for the others and they for it.
 */
public final class ScriptModule {
    private final TorchScriptArchive archive;
    private final CodeLoader code;
    private final Interpreter interpreter;
    private final ScriptObject object;
    /** Null if every operator is to be interpreted. */
    private final Specialiser specialiser;
    /** Held for writing by calls that run alone. */
    private final ReadWriteLock calls = new ReentrantReadWriteLock();
    private final Map<Function, LastingWrites> lastingWrites = new ConcurrentHashMap<>();

    private ScriptModule(TorchScriptArchive archive, CodeLoader code, Interpreter interpreter, ScriptObject object, Specialiser specialiser) {
        this.archive = archive;
        this.code = code;
        this.interpreter = interpreter;
        this.object = object;
        this.specialiser = specialiser;
    }

    /**
     * Loads a file; its tensors take memory once they are used.
     *
     * @throws IOException if the file cannot be opened
     * @see #of
     */
    public static ScriptModule load(Path file, ScriptRuntime runtime) throws IOException {
        return of(TorchScriptArchive.open(file), runtime);
    }

    /**
     * @throws ArchiveException                                    if the archive is damaged or its objects do not fit its classes
     * @throws org.torchnnapi.torchscript.source.SourceException   if the code of a class that is used is broken
     */
    public static ScriptModule of(TorchScriptArchive archive, ScriptRuntime runtime) {
        archive.zip().mappings().forEach(MappedPages::add);
        Interpreter interpreter = new Interpreter(runtime.operators(), runtime.customClasses()::find);
        Code source = new Code(archive);
        CodeLoader code = new CodeLoader(source, runtime.facts());
        source.constants = new ValueReader(code::type, runtime.customClasses(), interpreter::run);
        if (!(archive.data() instanceof PickledObject root)) {
            throw new ArchiveException("data.pkl: no object (expected: a module)");
        }
        Object value = new ValueReader(types(archive, code, runtime, interpreter), runtime.customClasses(), interpreter::run).read(root, null);
        if (!(value instanceof ScriptObject module)) {
            throw new ArchiveException("data.pkl: an object of " + root.className() + " (expected: a module)");
        }
        return new ScriptModule(archive, code, interpreter, module,
            runtime.specialises() ? new Specialiser(interpreter, module) : null);
    }

    /** Classes come from the source, or, in an archive for the lite interpreter that has none or passes it over, from its byte code. */
    private static java.util.function.Function<String, Type> types(TorchScriptArchive archive, CodeLoader code, ScriptRuntime runtime,
        Interpreter interpreter) {
        if (!archive.hasBytecode() || !archive.sources().isEmpty()) {
            return code::type;
        }
        try {
            return new BytecodeLoader(archive.bytecode(), archive.data(),
                (tree, types) -> new ValueReader(types, runtime.customClasses(), interpreter::run).read(tree, null), runtime.facts(), archive.version())
                .lines(() -> archive.debugTree("mobile_debug_handles.pkl"), () -> archive.debugTree("callstack_debug_map.pkl"), places(archive))::type;
        } catch (BytecodeException e) {
            throw new ArchiveException("bytecode.pkl: " + e.getMessage(), e);
        }
    }

    /** Lines by tag, read with the first one that is asked for. */
    private static LongFunction<SourceRange.Python> places(TorchScriptArchive archive) {
        AtomicReference<Map<Long, SourceMap.Position>> read = new AtomicReference<>();
        return tag -> {
            if (read.get() == null) {
                read.set(archive.taggedPositions());
            }
            SourceMap.Position place = read.get().get(tag);
            return place == null ? null : new SourceRange.Python(place.file(), place.line(), place.text());
        };
    }

    /** The same object, live, whose compiled programs and packed weights are its own and go with it: for who runs a large module once. */
    public ScriptModule withOwnPrograms() {
        return new ScriptModule(archive, code, interpreter, object, specialiser == null ? null : new Specialiser(interpreter, object));
    }

    /** The file that it was made of; its records are read when they are asked for. */
    public TorchScriptArchive archive() {
        return archive;
    }

    /** The classes and functions of the file, compiled when they are first asked for. */
    public CodeLoader code() {
        return code;
    }

    /** What runs its methods operator by operator; for several threads. */
    public Interpreter interpreter() {
        return interpreter;
    }

    /** The module object, live. */
    public ScriptObject object() {
        return object;
    }

    /**
     * An attribute, live: a tensor's elements may be changed by {@link org.torchnnapi.tensor.Tensor#copyFrom}, or in its array if its storage is then told that it
     * was {@link org.torchnnapi.tensor.Storage#written written}.
     *
     * @throws IllegalArgumentException if the class has no such attribute
     */
    public Object attribute(String name) {
        return object.get(name);
    }

    /** The method, or null if the module has none of that name. */
    public Function method(String name) {
        return object.type().method(name);
    }

    /**
     * Runs a method.
     *
     * @param arguments runtime values (see the {@code value} package)
     * @return the result; null is None
     * @throws IllegalArgumentException                             if there is no such method or the arguments do not fit
     * @throws org.torchnnapi.torchscript.value.ScriptException    if the program raises, an operator fails, or the heap has no room for what it makes
     */
    public Object call(String method, Object... arguments) {
        return call(method, Arrays.asList(arguments), Map.of());
    }

    /** As {@link #call(String, Object...)}, with arguments by name. */
    public Object call(String method, List<?> arguments, Map<String, ?> keywords) {
        try {
            return locked(method, arguments, keywords);
        } catch (MemoryException e) {
            throw new ScriptException("MemoryError", method + ": " + e.getMessage(), e);
        } catch (OutOfMemoryError e) {
            MemoryException told = new MemoryException("what its compiled code computes in", e);
            throw new ScriptException("MemoryError", method + ": " + told.getMessage(), told);
        }
    }

    private Object locked(String method, List<?> arguments, Map<String, ?> keywords) {
        acquire(calls.readLock());
        try {
            Specialiser.Latest like = specialiser == null || !keywords.isEmpty() ? null : specialiser.latest(method, arguments);
            if (like != null) {
                return specialiser.run(like, arguments);
            }
            Function function = defined(method);
            // What a method may write to takes longer to tell, as all that it may call has to be read.
            if (specialiser != null && specialiser.runsWhole(function, fitted(function, arguments, keywords)) || !callsRunAlone(function)) {
                return run(function, fitted(function, arguments, keywords));
            }
        } finally {
            calls.readLock().unlock();
        }
        acquire(calls.writeLock());
        try {
            Function function = defined(method);
            return run(function, fitted(function, arguments, keywords));
        } finally {
            calls.writeLock().unlock();
        }
    }

    /** Waits until others, that may take long, have let go of it; an interrupt ends that as it ends a run. */
    private static void acquire(Lock lock) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Interpreter.checkInterrupt();
        }
    }

    private Object run(Function function, Object[] fitted) {
        return specialiser == null ? interpreter.run(function, fitted, null) : specialiser.run(function, fitted);
    }

    /**
     * Whether calls of a method may write to attributes or to what they did not make, such as an argument; conservative. Those that are compiled
     * as a whole do not even so, and run beside others.
     *
     * @throws IllegalArgumentException if there is no such method
     */
    public boolean callsRunAlone(String method) {
        return callsRunAlone(defined(method));
    }

    private boolean callsRunAlone(Function function) {
        LastingWrites found = lastingWrites.get(function);
        if (found == null || !found.holds()) {
            found = LastingWrites.of(function, object, interpreter::customClassOrNull);
            lastingWrites.put(function, found);
        }
        return found.may();
    }

    private Function defined(String method) {
        Function function = method(method);
        if (function == null) {
            throw new IllegalArgumentException("Undefined method " + method + " (expected: one of "
                + object.type().methods().stream().map(Function::name).collect(Streams.toList()) + ")");
        }
        return function;
    }

    private Object[] fitted(Function function, List<?> arguments, Map<String, ?> keywords) {
        List<Object> all = new ArrayList<>(arguments.size() + 1);
        all.add(object);
        all.addAll(arguments);
        if (archive.hasBytecode()) {
            // The lite interpreter gives None for what may be None and is left out at the end.
            List<FunctionSchema.Argument> formals = function.schema().arguments();
            while (all.size() < formals.size() && !keywords.containsKey(formals.get(all.size()).name()) && !formals.get(all.size()).hasDefault()
                && formals.get(all.size()).type() instanceof Type.OptionalType) {
                all.add(null);
            }
        }
        return Interpreter.fit(function, all, keywords);
    }

    /**
     * Whether the call of this module that ended last, which had these arguments, cannot have written to their elements; conservative. Even so
     * it may have given a tensor other memory. For callers whose calls do not overlap.
     */
    public boolean keptArguments(String method, List<?> arguments) {
        Function function = method(method);
        return specialiser != null && function != null && specialiser.keptArguments(function, fitted(function, arguments, Map.of()));
    }

    /**
     * Whether anything but the result of a method may refer to the memory of its arguments after a call, such as an attribute; conservative.
     * Otherwise the caller may put it to other use once it is done with the result.
     */
    public boolean mayKeepArguments(String method) {
        Function function = method(method);
        return function == null || interpreter.mayKeepArguments(function);
    }

    /**
     * How the methods called so far run, a line each and indented ones for what they consist of; empty if all is interpreted because the
     * runtime says so.
     */
    public List<String> describeSpecialisations() {
        if (specialiser == null) {
            return List.of();
        }
        List<String> lines = new ArrayList<>(specialiser.describe());
        specialiser.dividedMethods().stream().filter(this::callsRunAlone)
            .forEach(method -> lines.add(method.name() + ": its calls run one at a time, as it may write to attributes or to what it did not make"));
        return lines;
    }

    /** What compiled code ends at in the methods called so far, and is interpreted: a reason and its line of Python each, for people. */
    public List<String> interpretedParts() {
        return specialiser == null ? List.of() : specialiser.breaks();
    }

    /** What programs of specialised methods hold now; nothing before a method is called. */
    public ProgramMemory programMemory() {
        return specialiser == null ? ProgramMemory.NONE : specialiser.memory();
    }

    /** Starts to measure the steps of the methods specialised so far, from nothing. Not during a call. */
    public void profile() {
        if (specialiser != null) {
            specialiser.profile();
        }
    }

    /** What the steps took since {@link #profile}, in the order of their work; empty where all is interpreted. Not during a call. */
    public List<StageTime> stepTimes() {
        return specialiser == null ? List.of() : specialiser.stepTimes();
    }

    /** Puts this module and its submodules into evaluation mode: {@code training} becomes False. */
    public ScriptModule eval() {
        eval(object, Collections.newSetFromMap(new IdentityHashMap<>()));
        return this;
    }

    private static void eval(ScriptObject module, Set<ScriptObject> seen) {
        if (!seen.add(module)) {
            return;
        }
        List<ClassType.Attribute> attributes = module.type().attributes();
        for (int slot = 0; slot < attributes.size(); slot++) {
            if (attributes.get(slot).name().equals("training") && module.slot(slot) instanceof Boolean) {
                module.slot(slot, false);
            } else if (module.slot(slot) instanceof ScriptObject child && child.type().kind() == ClassType.Kind.MODULE) {
                eval(child, seen);
            }
        }
    }

    /** A runtime value of this module as the value tree of a pickle. */
    public Object tree(Object value) {
        return new ValueWriter(interpreter::run).tree(value);
    }

    /** A writer with the archive's code, constants and extra files, and the attributes as they are now. */
    public ArchiveWriter writer() {
        return ArchiveWriter.from(archive).data(tree(object));
    }

    /**
     * What writes this module anew: its attributes as they are now, and its code printed from graphs, in today's meaning of operators. Extra
     * files are not among it.
     */
    public ModuleWriter moduleWriter() {
        return new ModuleWriter(object, interpreter::run).fieldDefaults(code::fieldDefaults);
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
                throw new IllegalArgumentException("CONSTANTS.c" + index + " (expected: one of " + trees.size() + " constants)");
            }
            return read.computeIfAbsent(index, i -> constants.read(trees.get(i), (Type) null));
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
                return python == null ? null : new SourceRange.Python(python.file(), python.line(), python.text());
            } catch (ArchiveException damaged) {
                // An error is told without its line of Python rather than not at all.
                return null;
            }
        }
    }
}
