package org.torchnnapi.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import org.torchnnapi.execution.Deadline;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.execution.interp.ProgramMemory;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.TorchScriptSource;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * A model that runs: ordinary TorchScript on the interpreter, its converted parts on NNAPI devices. It is in evaluation
 * mode. Calls may come from several threads as far as the model's methods do not change its attributes; a converted
 * model does at its first call.
 *
 * <p>Whoever loads a model closes it. One that is forgotten keeps what its devices hold, but its file's pages and its
 * arrays go with the garbage. What calls have answered stays valid afterwards.
 */
public final class LoadedModel implements AutoCloseable {
    /** Where the steps of compiled TorchScript methods run. */
    public static final String PROGRAM = "program";
    /** Where operators run that are called one by one. */
    public static final String OPERATOR = "operator";

    private static final String FORWARD = "forward";
    /** What an answer is called in messages. */
    static final String RESULT = "forward: its result";

    private final ScriptModule module;
    private final NnapiCompilationClass compilations;

    private static final Logger LOG = Logger.getLogger(LoadedModel.class.getName());
    /** Failures of devices, not of models or of those who call them. */
    private static final Set<ResultCode> MISSING = EnumSet.of(
            ResultCode.OUT_OF_MEMORY,
            ResultCode.OP_FAILED,
            ResultCode.UNAVAILABLE_DEVICE,
            ResultCode.MISSED_DEADLINE_TRANSIENT,
            ResultCode.MISSED_DEADLINE_PERSISTENT,
            ResultCode.RESOURCE_EXHAUSTED_TRANSIENT,
            ResultCode.RESOURCE_EXHAUSTED_PERSISTENT,
            ResultCode.DEAD_OBJECT);

    private final AtomicBoolean fellBack = new AtomicBoolean();
    private volatile boolean closed;

    private final Duration deadline;

    private LoadedModel(ScriptModule module, NnapiCompilationClass compilations, Duration deadline) {
        this.module = module;
        this.compilations = compilations;
        this.deadline = deadline;
    }

    /**
     * Loads a {@code .pt}, {@code .ptl} or {@code .pt2} file.
     *
     * @throws IOException if it cannot be opened
     * @see ScriptModule#of(ModuleSource, ScriptRuntime)
     */
    public static LoadedModel load(Path file, EngineOptions options) throws IOException {
        return of(ModuleSource.open(file), options);
    }

    /**
     * Loads a file that was opened.
     *
     * @throws ModelException if code of the model that runs as it is loaded fails, or takes too long
     * @see ScriptModule#of(TorchScriptArchive, ScriptRuntime)
     */
    public static LoadedModel of(TorchScriptArchive archive, EngineOptions options) {
        return of(new TorchScriptSource(archive), options);
    }

    /**
     * Loads a file of any format that was opened.
     *
     * @throws ModelException if code of the model that runs as it is loaded fails, or takes too long
     * @see ScriptModule#of(ModuleSource, ScriptRuntime)
     */
    public static LoadedModel of(ModuleSource source, EngineOptions options) {
        NnapiCompilationClass compilations = new NnapiCompilationClass(options);
        ScriptRuntime runtime = Runtimes.with(compilations);
        try {
            ScriptModule module = Deadline.within(
                    options.deadline(),
                    "load",
                    () -> ScriptModule.of(source, options.specialise() ? runtime : runtime.interpreting())
                            .eval());
            return new LoadedModel(module, compilations, options.deadline());
        } catch (ScriptException e) {
            throw new ModelException(e);
        }
    }

    /** The module that runs it, live: attributes that are set there are those of the model. */
    public ScriptModule module() {
        return module;
    }

    /**
     * Runs a method on runtime values; see {@link ScriptModule#call(String, List, Map)}.
     *
     * @throws IllegalArgumentException if there is no such method or the arguments do not fit
     * @throws IllegalStateException once the model is closed
     * @throws ModelException if the model fails as it runs
     */
    public Object call(String method, Object... arguments) {
        return call(method, Arrays.asList(arguments), Map.of());
    }

    /**
     * As {@link #call(String, Object...)}, with arguments by name. Where NNAPI fails for want of a device, memory or
     * time, and the file holds the method's original beside it (see {@link #fallbackOf}), that is called instead, which
     * is logged once.
     */
    public Object call(String method, List<?> arguments, Map<String, ?> keywords) {
        if (closed) {
            throw new IllegalStateException("model: closed (expected: one in use)");
        }
        try {
            return Deadline.within(deadline, method, () -> attempt(method, arguments, keywords));
        } catch (ScriptException | SourceException | ArchiveException | NnapiException | BytecodeException e) {
            throw new ModelException(e);
        }
    }

    /**
     * Runs {@code forward} on inputs in their order; see {@link #call(String, Object...)}.
     *
     * @param inputs runtime values, such as {@link org.torchnnapi.tensor.Tensor}s
     */
    public ModelOutput forward(Object... inputs) {
        return new ModelOutput(RESULT, call(FORWARD, inputs));
    }

    /**
     * As {@link #forward(Object...)}, with the inputs by the names that {@link #inputs} has.
     *
     * @throws InputNamesException if a name is unknown, or one that has no default is missing
     */
    public ModelOutput forward(Map<String, ?> inputs) {
        ModelSignature.checkNames(module, FORWARD, inputs);
        return new ModelOutput(RESULT, call(FORWARD, List.of(), inputs));
    }

    /**
     * As {@link #forward(Object...)}, on a thread of an executor's. What that throws, the future ends with. Cancelling
     * the future ends no call that runs; a deadline of the model's options does.
     */
    public CompletableFuture<ModelOutput> forwardAsync(Executor executor, Object... inputs) {
        return CompletableFuture.supplyAsync(() -> forward(inputs), executor);
    }

    /**
     * What {@code forward} takes, as far as the file tells: names and types always; a tensor's elements and sizes where
     * a {@code .pt2} declares them, an NNAPI model has them, or an example comes with the model.
     *
     * @throws ModelException if code of the model that makes its bundled inputs fails
     */
    public List<ValueInfo> inputs() {
        ModelSignature signature = ModelSignature.of(module, FORWARD);
        if (!signature.lacksSizes()) {
            return signature.inputs();
        }
        try {
            List<List<Object>> examples = Deadline.within(deadline, "bundled inputs", module::bundledInputs);
            return (examples.isEmpty() ? signature : signature.withExample(examples.get(0))).inputs();
        } catch (ScriptException | SourceException | ArchiveException | BytecodeException e) {
            throw new ModelException(e);
        }
    }

    /** What {@code forward} gives, as far as the file tells; nothing of the model runs. */
    public List<ValueInfo> outputs() {
        return ModelSignature.of(module, FORWARD).outputs();
    }

    /**
     * The method that computes what a converted one does without NNAPI, in files that were made so: {@code forward_cpu}
     * for {@code forward}.
     */
    public static String fallbackOf(String method) {
        return method + "_cpu";
    }

    private Object attempt(String method, List<?> arguments, Map<String, ?> keywords) {
        String fallback = fallbackOf(method);
        if (module.method(fallback) == null) {
            return module.call(method, arguments, keywords);
        }
        try {
            return module.call(method, arguments, keywords);
        } catch (ScriptException | NnapiException e) {
            NnapiException failure = failureOf(e);
            if (failure == null || !MISSING.contains(failure.resultCode())) {
                throw e;
            }
            if (!fellBack.getAndSet(true)) {
                LOG.warning("NNAPI failed (" + failure + "): " + fallback + " of the file computes in its place");
            }
            return module.call(fallback, arguments, keywords);
        }
    }

    private static NnapiException failureOf(Throwable thrown) {
        Throwable at = thrown;
        while (at != null && !(at instanceof NnapiException)) {
            at = at.getCause();
        }
        return (NnapiException) at;
    }

    /** The NNAPI models of this model that have run, in the order of their first runs; none before the first call. */
    public List<NnapiPart> nnapiParts() {
        return compilations.parts();
    }

    /** Where the operations of the NNAPI models run, one entry for each compiled model; none before the first call. */
    public List<Placement> placements() {
        return nnapiParts().stream()
                .flatMap(part -> part.compilations().stream())
                .map(Compilation::placement)
                .collect(Streams.toList());
    }

    /** Starts to measure, from nothing, the steps of what has run before. Not during a call. */
    public void profile() {
        module.profile();
        nnapiParts().forEach(part -> part.compilations().forEach(Compilation::profile));
    }

    /**
     * What the steps took since {@link #profile}, in the order of their work: of methods compiled for the types of
     * their arguments, on the device {@link #PROGRAM} or, where operators were called one by one, {@link #OPERATOR};
     * then of NNAPI parts. The origins of the first are {@link org.torchnnapi.execution.interp.NodeCall}s. Not during a
     * call.
     */
    public List<ProfiledStep> stepTimes() {
        List<ProfiledStep> times = new ArrayList<>();
        module.stepTimes()
                .forEach(step -> times.add(new ProfiledStep(
                        step.compiled() ? PROGRAM : OPERATOR, step.name(), step.nanos(), step.calls())));
        nnapiParts().forEach(part -> part.compilations().forEach(compilation -> times.addAll(compilation.stepTimes())));
        return times;
    }

    /** What the model holds now; devices and programs hold nothing before the first call. */
    public ModelMemory memory() {
        DeviceMemory devices = DeviceMemory.NONE;
        for (NnapiPart part : nnapiParts()) {
            for (Compilation compilation : part.compilations()) {
                devices = devices.plus(compilation.memory());
            }
        }
        ProgramMemory programs = module.programMemory();
        ModuleSource source = module.source();
        boolean mapped = source.zip().isMapped();
        return new ModelMemory(
                mapped ? source.zip().size() : 0,
                source.arrayBytes() + (mapped ? 0 : source.zip().size()),
                devices.weights() + programs.weights(),
                devices.working() + programs.working());
    }

    /**
     * Writes the model with its attributes as they are now.
     *
     * @param extraFiles by name, added to those of the file it was loaded from, of which they replace those of the same
     *     names
     */
    public void save(Path file, Map<String, ByteBuffer> extraFiles) throws IOException {
        ArchiveWriter writer = module.writer();
        extraFiles.forEach(writer::extra);
        writer.write(file);
    }

    /**
     * Frees what devices hold, once calls that run there are over. No method can be called afterwards, whether or not
     * the model has NNAPI parts; closing again does nothing. Throws nothing; from any thread.
     */
    @Override
    public void close() {
        closed = true;
        nnapiParts().forEach(NnapiPart::close);
    }
}
