package org.torchnnapi.execution;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.ProgramMemory;
import org.torchnnapi.execution.interp.StageTime;
import org.torchnnapi.execution.tracing.MutationSummary;
import org.torchnnapi.execution.tracing.Specialiser;
import org.torchnnapi.kernels.MappedPages;
import org.torchnnapi.operators.passes.Decompose;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.TorchScriptSource;
import org.torchnnapi.torchscript.ValueWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.support.ModuleRewind;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.SharedValues;

/**
 * A loaded module: its object tree, its code, and an interpreter that runs its methods. Classes and graphs are built
 * when they are first needed. Safe for use by several threads: calls run at the same time, each in memory of its own,
 * unless one may write to attributes or to what it did not make ({@link #callsRunAlone}); such a call waits for the
 * others and they for it.
 */
public final class ScriptModule {
    private static final String BUNDLED = "get_all_bundled_inputs";

    private final ModuleSource source;
    private final CodeLoader code;
    private final Map<String, DeclaredInputs> inputs;
    private final Interpreter interpreter;
    private final ScriptObject object;
    /** Null if every operator is to be interpreted. */
    private final Specialiser specialiser;
    /** Held for writing by calls that run alone. */
    private final ReadWriteLock calls = new ReentrantReadWriteLock();

    private final Map<Function, MutationSummary> lastingWrites = new ConcurrentHashMap<>();

    private ScriptModule(
            ModuleSource source,
            CodeLoader code,
            Map<String, DeclaredInputs> inputs,
            Interpreter interpreter,
            ScriptObject object,
            Specialiser specialiser) {
        this.source = source;
        this.code = code;
        this.inputs = inputs;
        this.interpreter = interpreter;
        this.object = object;
        this.specialiser = specialiser;
    }

    /**
     * Loads a file; its tensors take memory once they are used.
     *
     * @throws IOException if the file cannot be opened
     * @see #of(ModuleSource, ScriptRuntime)
     */
    public static ScriptModule load(Path file, ScriptRuntime runtime) throws IOException {
        return of(ModuleSource.open(file), runtime);
    }

    /** @see #of(ModuleSource, ScriptRuntime) */
    public static ScriptModule of(TorchScriptArchive archive, ScriptRuntime runtime) {
        return of(new TorchScriptSource(archive), runtime);
    }

    /**
     * @throws ArchiveException if the file is damaged or its objects do not fit its classes
     * @throws org.torchnnapi.torchscript.source.SourceException if the code of a class that is used is broken
     */
    public static ScriptModule of(ModuleSource source, ScriptRuntime runtime) {
        return of(source, runtime, true);
    }

    /**
     * A module to look at: nothing of its code runs, so that objects of classes with {@code __setstate__} have no
     * attributes.
     *
     * @throws ArchiveException as {@link #of(ModuleSource, ScriptRuntime)} does
     */
    public static ScriptModule stored(ModuleSource source, ScriptRuntime runtime) {
        return of(source, runtime, false);
    }

    /** @param runs whether code runs that objects are made by */
    private static ScriptModule of(ModuleSource source, ScriptRuntime runtime, boolean runs) {
        Interpreter interpreter = new Interpreter(runtime.operators(), runtime.customClasses()::find);
        source.zip().mappings().forEach(MappedPages::add);
        ModuleSource.Made made;
        try {
            made = source.make(new ModuleSource.Host(
                    runtime.facts(), runtime.customClasses(), runs ? interpreter::run : (method, arguments) -> null));
        } catch (StackOverflowError e) {
            throw new ArchiveException("module: its objects and classes are nested too deep to be read (expected: "
                    + "fewer levels, or a thread with a larger stack)");
        } catch (OutOfMemoryError e) {
            throw new ArchiveException("module: the heap has no room for its objects and classes (expected: a larger "
                    + "heap, such as -Xmx8g)");
        } catch (InternalError e) {
            throw new ArchiveException("module: " + ofMappedFile(e));
        } catch (CancellationException e) {
            Interpreter.checkInterrupt();
            throw e;
        }
        return new ScriptModule(
                source,
                made.code(),
                made.inputs(),
                interpreter,
                made.object(),
                runtime.specialises() ? new Specialiser(interpreter, made.object()) : null);
    }

    /**
     * The same object, live, whose compiled programs and packed weights are its own and go with it: for who runs a
     * large module once.
     */
    public ScriptModule withOwnPrograms() {
        return new ScriptModule(
                source,
                code,
                inputs,
                interpreter,
                object,
                specialiser == null ? null : new Specialiser(interpreter, object));
    }

    /** The file that it was made of. */
    public ModuleSource source() {
        return source;
    }

    /**
     * The TorchScript file that it was made of; its records are read when they are asked for.
     *
     * @throws IllegalStateException if it was made of a file of another format
     */
    public TorchScriptArchive archive() {
        if (source instanceof TorchScriptSource torchScript) {
            return torchScript.archive();
        }
        throw new IllegalStateException("module: of a file of another format (expected: a TorchScript archive)");
    }

    /** The classes and functions of the file's text, compiled when they are first asked for; null if it has no text. */
    public CodeLoader code() {
        return code;
    }

    /** What its file says of the arguments of a method; null where it says nothing. */
    public DeclaredInputs declaredInputs(String method) {
        return inputs.get(method);
    }

    /**
     * Arguments of {@code forward} that the module has with it: its bundled inputs, or else the example of its file.
     *
     * @return in each item those of one call; empty where there are none
     */
    public List<List<Object>> bundledInputs() {
        return bundledInputs("forward");
    }

    /** As {@link #bundledInputs()}, of a method; those of {@code forward} where a TorchScript file has none for it. */
    public List<List<Object>> bundledInputs(String method) {
        String own = BUNDLED + "_for_" + method;
        String bundled = method(own) == null ? BUNDLED : own;
        if (method(bundled) == null) {
            List<Object> example =
                    inputs.containsKey(method) ? inputs.get(method).example() : null;
            return example == null ? List.of() : List.of(example);
        }
        List<List<Object>> calls = new ArrayList<>();
        for (Object arguments : ((ScriptList) call(bundled)).items()) {
            calls.add(((ScriptTuple) arguments).items());
        }
        return calls;
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
     * An attribute, live: a tensor's elements may be changed by {@link org.torchnnapi.tensor.Tensor#copyFrom}, or in
     * its array if its storage is then told that it was {@link org.torchnnapi.tensor.Storage#written written}.
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
     * @throws IllegalArgumentException if there is no such method or the arguments do not fit
     * @throws org.torchnnapi.torchscript.value.ScriptException if the program raises, an operator fails, or the heap
     *     has no room for what it makes
     */
    public Object call(String method, Object... arguments) {
        return call(method, Arrays.asList(arguments), Map.of());
    }

    /** As {@link #call(String, Object...)}, with arguments by name. */
    public Object call(String method, List<?> arguments, Map<String, ?> keywords) {
        try {
            Object result = locked(method, arguments, keywords);
            if (!(result instanceof Tensor)) {
                SharedValues.check(method + ": its result", result);
            }
            return result;
        } catch (MemoryException e) {
            throw new ScriptException("MemoryError", method + ": " + e.getMessage(), e);
        } catch (OutOfMemoryError e) {
            MemoryException told = new MemoryException("what its compiled code computes in", e);
            throw new ScriptException("MemoryError", method + ": " + told.getMessage(), told);
        } catch (StackOverflowError e) {
            throw new ScriptException(
                    "RecursionError",
                    method + ": the thread's stack is full (expected: a larger stack or a method of fewer levels)");
        } catch (InternalError e) {
            throw new ScriptException("OSError", method + ": " + ofMappedFile(e));
        }
    }

    /**
     * What to say of an error that the virtual machine throws where a mapped page cannot be read.
     *
     * @throws InternalError the error itself if it is of another kind
     */
    private static String ofMappedFile(InternalError e) {
        if (e.getMessage() == null || !e.getMessage().contains("unsafe memory access")) {
            throw e;
        }
        return "its file can no longer be read (expected: a file that stays as it was when it was opened; "
                + "replace it by a new one of the same name)";
    }

    private Object locked(String method, List<?> arguments, Map<String, ?> keywords) {
        acquire(calls.readLock());
        try {
            Specialiser.Latest like =
                    specialiser == null || !keywords.isEmpty() ? null : specialiser.latest(method, arguments);
            if (like != null) {
                return specialiser.run(like, arguments);
            }
            Function function = defined(method);
            // What a method may write to takes longer to tell, as all that it may call has to be read.
            if (specialiser != null && specialiser.runsWhole(function, fitted(function, arguments, keywords))
                    || !callsRunAlone(function)) {
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
        try {
            return specialiser == null ? interpreter.run(function, fitted, null) : specialiser.run(function, fitted);
        } catch (CancellationException e) {
            // A pass that noticed the interrupt.
            Interpreter.checkInterrupt();
            throw e;
        }
    }

    /**
     * Whether calls of a method may write to attributes or to what they did not make, such as an argument;
     * conservative. Those that are compiled as a whole do not even so, and run beside others.
     *
     * @throws IllegalArgumentException if there is no such method
     */
    public boolean callsRunAlone(String method) {
        return callsRunAlone(defined(method));
    }

    /**
     * Notes what calls of a method may change, to be put back by {@link ModuleRewind#close}.
     *
     * @throws IllegalArgumentException if there is no such method
     */
    public ModuleRewind rewind(String method) {
        return new ModuleRewind(object, callsRunAlone(method));
    }

    private boolean callsRunAlone(Function function) {
        MutationSummary found = lastingWrites.get(function);
        if (found == null || !found.holds()) {
            found = MutationSummary.of(function, object, interpreter::customClassOrNull);
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
        if (source.fillsOptionals()) {
            // The lite interpreter gives None for what may be None and is left out at the end.
            List<FunctionSchema.Argument> formals = function.schema().arguments();
            while (all.size() < formals.size()
                    && !keywords.containsKey(formals.get(all.size()).name())
                    && !formals.get(all.size()).hasDefault()
                    && formals.get(all.size()).type() instanceof Type.OptionalType) {
                all.add(null);
            }
        }
        return Interpreter.fit(function, all, keywords);
    }

    /**
     * Whether the call of this module that ended last, which had these arguments, cannot have written to their
     * elements; conservative. Even so it may have given a tensor other memory. For callers whose calls do not overlap.
     */
    public boolean keptArguments(String method, List<?> arguments) {
        Function function = method(method);
        return specialiser != null
                && function != null
                && specialiser.keptArguments(function, fitted(function, arguments, Map.of()));
    }

    /**
     * Whether anything but the result of a method may refer to the memory of its arguments after a call, such as an
     * attribute; conservative. Otherwise the caller may put it to other use once it is done with the result.
     */
    public boolean mayKeepArguments(String method) {
        Function function = method(method);
        return function == null || interpreter.mayKeepArguments(function);
    }

    /**
     * How the methods called so far run, a line each and indented ones for what they consist of; empty if all is
     * interpreted because the runtime says so.
     */
    public List<String> describeSpecialisations() {
        if (specialiser == null) {
            return List.of();
        }
        List<String> lines = new ArrayList<>(specialiser.describe());
        specialiser.dividedMethods().stream()
                .filter(this::callsRunAlone)
                .forEach(method -> lines.add(method.name()
                        + ": its calls run one at a time, as it may write to attributes or to what it did not make"));
        return lines;
    }

    /**
     * What compiled code ends at in the methods called so far, and is interpreted: a reason and its line of Python
     * each, for people.
     */
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

    /**
     * What the steps took since {@link #profile}, in the order of their work; empty where all is interpreted. Not
     * during a call.
     */
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
            } else if (module.slot(slot) instanceof ScriptObject child
                    && child.type().kind() == ClassType.Kind.MODULE) {
                eval(child, seen);
            }
        }
    }

    /** A runtime value of this module as the value tree of a pickle. */
    public Object tree(Object value) {
        return new ValueWriter(interpreter::run).tree(value);
    }

    /**
     * A writer with the file's code, constants and extra files, and the attributes as they are now; of a file that is
     * no TorchScript, with the code printed from its graphs.
     */
    public ArchiveWriter writer() {
        if (source instanceof TorchScriptSource torchScript) {
            return ArchiveWriter.from(torchScript.archive()).data(tree(object));
        }
        ArchiveWriter writer = moduleWriter().archive("model");
        source.extraFiles().forEach(writer::extra);
        return writer;
    }

    /**
     * What writes this module anew: its attributes as they are now, and its code printed from graphs, in today's
     * meaning of operators. Extra files are not among it.
     */
    public ModuleWriter moduleWriter() {
        ModuleWriter writer = new ModuleWriter(object, interpreter::run).decompositions(Decompose::of);
        return code == null ? writer : writer.fieldDefaults(code::fieldDefaults);
    }
}
