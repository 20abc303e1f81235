package org.torchnnapi.converter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.check.CompiledParts;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.check.Structures;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.converter.check.TimeLimit;
import org.torchnnapi.converter.check.Work;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.emit.OperationLines;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.emit.WeightViews;
import org.torchnnapi.converter.free.ConvertedOperators;
import org.torchnnapi.converter.free.Divergence;
import org.torchnnapi.converter.free.FreeConversion;
import org.torchnnapi.converter.free.FreeOptions;
import org.torchnnapi.converter.free.KeptParts;
import org.torchnnapi.converter.free.LoweredSegment;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.GraphLowering;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.converter.lower.ModelAssembler;
import org.torchnnapi.converter.lower.TensorOperand;
import org.torchnnapi.converter.report.ConversionReport;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.LevelCoverage;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.split.QuantizedCore;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.model.FeatureLevelNeed;
import org.torchnnapi.nnapi.model.LevelCheck;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Converts a TorchScript module to one that runs on NNAPI, with the same arguments and results. The steps: freeze and
 * simplify the graph, cut off quantize steps if the mode says so, lower every node, put the file together, check it.
 */
public final class Converter {
    private static final String FORWARD = "forward";
    /** Methods that hold and run on a module's bundled inputs have this in their names. */
    private static final String BUNDLED = "bundled_input";
    /** What the comparison of results says begins so. */
    private static final String RESULT = "output ";
    /** NNAPI's tensors have at most so many dimensions. */
    private static final int MAX_RANK = 4;
    /** Looking into a failed check runs the model, or parts of it, about so often. */
    private static final int RUNS_OF_A_CLOSER_LOOK = 10;
    /** Bytes of packed weights that are worth a collection. */
    private static final long LARGE = 64L << 20;

    static final Refusal CONVERTED = new Refusal("model", SourceRange.NONE, List.of(), "the model must be an ordinary one",
        "a model that was converted already", "no part that calls _nnapi.Compilation", "convert the file it was made of");
    static final Refusal OPEN_SHAPES = new Refusal("model", SourceRange.NONE, List.of(), "sizes that are left open, int16 and given shapes of results are for forward alone",
        "another method, or several", "fixed sizes", "convert the method for each of the shapes that it is given");
    private static final String EVERYTHING_PAYS = "to convert whatever can be, take a device of which neither starts nor bytes cost anything (--profile start=0,bytes=1e15)";
    static final Refusal NOTHING_PAYS = new Refusal("model", SourceRange.NONE, List.of(), "parts on NNAPI must pay for a start of it and for copies",
        "no part that pays", "a part that NNAPI computes faster", EVERYTHING_PAYS);

    private final ScriptModule module;
    private final ConversionOptions options;
    private final ScriptRuntime runtime;
    private final String method;
    private final InputSource source;
    private final List<String> notes = new ArrayList<>();
    /** Whether the original quantizes the inputs of some layers as it goes. */
    private boolean isDynamic;
    /** What the converted module returned when it was checked. */
    private List<Tensor> checked = List.of();

    Converter(ScriptModule module, ConversionOptions options, ScriptRuntime runtime) {
        this.module = module;
        this.options = options;
        this.runtime = runtime;
        this.method = methodOf(module, options);
        this.source = InputSource.of(module, method, options);
        notes.addAll(source.notes());
    }

    /**
     * Converts the module's {@code forward}.
     *
     * @param module  the original; not changed
     * @param runtime what converted modules are loaded into for the self-check
     * @return a converted model, or every reason against one
     * @throws IllegalArgumentException if the module has no such method, or nothing describes its inputs
     */
    public static Conversion convert(ScriptModule module, ConversionOptions options, ScriptRuntime runtime) {
        return new Converter(module, options, runtime).run();
    }

    /**
     * Converts several methods of a module, or one for inputs of several shapes, which what is made chooses among when it runs; for other shapes the
     * original computes. Weights that several use in the same form are stored once.
     *
     * @param module  the original; not changed
     * @param wanted  per method and per shapes of its inputs how to convert it; all but method and inputs is that of the first
     * @param runtime what converted modules are loaded into for the self-check
     * @return a converted model with all of them, or every reason against one; methods that NNAPI cannot compute faster stay as they are
     * @throws IllegalArgumentException if the module lacks a method, nothing describes its inputs, or two have the same shapes
     */
    public static Conversion convert(ScriptModule module, List<ConversionOptions> wanted, ScriptRuntime runtime) {
        return wanted.size() == 1 ? convert(module, wanted.get(0), runtime) : new SeveralMethods(module, wanted, runtime).run();
    }

    /**
     * Converts a file; see {@link Conversion#write} for the result. Safe for use by several threads.
     *
     * @param model a {@code .pt} file
     * @return a converted model, or every reason against one
     * @throws IOException              if the file cannot be read
     * @throws IllegalArgumentException if the model has no such method, or nothing describes its inputs: neither options nor bundled inputs
     */
    public static Conversion convert(Path model, ConversionOptions options) throws IOException {
        ScriptRuntime runtime = Runtimes.standard();
        return convert(ScriptModule.load(model, runtime).eval(), options, runtime);
    }

    String method() {
        return method;
    }

    InputSource source() {
        return source;
    }

    boolean checks() {
        return options.selfCheck();
    }

    List<String> notes() {
        return notes;
    }

    private Conversion run() {
        List<InputSpec> specs = source.specs();
        if (specs == null) {
            throw new IllegalArgumentException("inputs: not described (expected: shapes and dtypes, an example, or a model with bundled inputs)");
        }
        if (ModuleEmitter.isConverted(module.archive())) {
            return refused(List.of(CONVERTED));
        }
        if (!method.equals(FORWARD) && !isFree(specs)) {
            return refused(List.of(OPEN_SHAPES));
        }
        try {
            boolean own = !source.isPlain() || options.cpuFallback() || !options.keptMethods().isEmpty() || options.target() != null || hasOthers();
            if (own && (isFree(specs) || !source.isPlain())) {
                return free(specs, List.of(NOTHING_PAYS));
            }
            if (options.cpuFallback() || !options.keptMethods().isEmpty()) {
                notes.add("models with sizes that are left open convert in PyTorch's way only, with no other method beside");
            }
            // What one way holds of the weights is gone before the other takes them up.
            Conversion likePyTorch = likePyTorch(prepared(Set.of()), specs);
            if (likePyTorch.succeeded() || !isFree(specs)) {
                return likePyTorch;
            }
            boolean free = likePyTorch.refusals().stream().anyMatch(refusal -> ConvertedOperators.includes(refusal.node()));
            return free(specs, free ? List.of(NOTHING_PAYS) : likePyTorch.refusals());
        } catch (SourceException e) {
            return refused(List.of(new Refusal("model", new SourceRange(e.entry(), e.line()), List.of(),
                "the model's code must compile", e.found(), e.expected(), "save the model with PyTorch 1.13")));
        } catch (Unfit e) {
            return refused(List.of(Refusal.ofModel("the model must fit into one graph", e.getMessage(), "methods without recursion", "")));
        }
    }

    /** @throws IllegalArgumentException if the module lacks the method, or nothing says which of several is meant */
    private static String methodOf(ScriptModule module, ConversionOptions options) {
        List<String> names = module.object().type().methods().stream().map(Function::name).filter(Converter::isPublic).collect(Streams.toList());
        String wanted = options.method() != null ? options.method() : module.method(FORWARD) == null && names.size() == 1 ? names.get(0) : FORWARD;
        if (module.method(wanted) == null) {
            throw new IllegalArgumentException("method: none called " + wanted + " (expected: " + (names.isEmpty() ? "a module with one" : String.join(" or ", names)) + ")");
        }
        return wanted;
    }

    private static boolean isPublic(String name) {
        return !name.startsWith("_") && !name.contains(BUNDLED);
    }

    /**
     * Whether the module has methods, beside the converted one and those that it calls, which callers may go on calling. Those that set attributes do not
     * count: beside them the attributes would be no constants, and PyTorch's way has them as constants.
     */
    private boolean hasOthers() {
        Set<String> others = KeptParts.byDefault(module.object(), Set.of(method));
        others.removeAll(KeptParts.called(module.object(), Set.of(method)));
        return !method.equals(FORWARD) || others.stream().anyMatch(name -> isPublic(name) && KeptParts.setting(module.object(), Set.of(name)).isEmpty());
    }

    /** A model whose calls cannot be inlined. */
    static final class Unfit extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unfit(IllegalArgumentException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** @param changing names of attributes that stay attributes */
    private Graph prepared(Set<String> changing) {
        return prepared(module.object(), changing);
    }

    /**
     * @param object   the module, or what came of it when other methods were converted
     * @param changing names of attributes that stay attributes
     */
    private Graph prepared(ScriptObject object, Set<String> changing) {
        try {
            Graph graph = Passes.prepare(object, method, changing);
            if (!isDynamic && quantizesAsItGoes(graph.block())) {
                isDynamic = true;
                notes.add("dynamically quantized layers multiply real numbers: NNAPI has no quantization by what comes in");
            }
            return graph;
        } catch (IllegalArgumentException e) {
            throw new Unfit(e);
        }
    }

    private static boolean quantizesAsItGoes(Block block) {
        return block.nodes().stream().anyMatch(node -> node.kind().endsWith("_dynamic") || node.kind().startsWith("aten::quantized_")
            || node.blocks().stream().anyMatch(Converter::quantizesAsItGoes));
    }

    /** Whether the converter may do it in its own way: for float or quantized models with inputs of fixed shapes. */
    boolean isFree(List<InputSpec> specs) {
        boolean fixed = specs.stream().allMatch(spec -> Arrays.stream(spec.shape()).allMatch(size -> size > 0));
        return fixed && !options.int16() && options.returnShapes() == null;
    }

    private void noteChannelScales(Graph graph) {
        long layers = graph.block().nodes().stream().filter(node -> !node.kind().endsWith("_dynamic") && node.inputs().stream().anyMatch(Converter::hasChannelScales)).count();
        if (layers > 0 && !target().ownRuntime()) {
            notes.add(layers + " layers with a scale a channel multiply real numbers, as PyTorch's loader has no place for such scales: as exact as the model, but as large "
                + "as float ones (--runtime torch-nnapi keeps them 8-bit, and so does quantizing without --per-channel)");
        }
    }

    private static boolean hasChannelScales(Value packed) {
        Object value = Literals.of(packed).map(Literals.Literal::value).orElse(null);
        Object payload = value instanceof CustomObject object ? object.payload() : null;
        Tensor weight = payload instanceof ConvolutionParams convolution ? convolution.weight() : payload instanceof LinearParams linear ? linear.weight() : null;
        return weight != null && weight.quantization() instanceof Quantization.PerChannel;
    }

    /** @param core what was cut off, or null */
    record Divided(FreeConversion made, List<?> samples, QuantizedCore core) {
    }

    /**
     * Divides the model by an example, or by the first kind of made inputs on which it runs.
     *
     * @param object the module, or what came of it when other methods were converted
     */
    Divided divided(ScriptObject object, FreeOptions how) {
        List<InputSpec> specs = source.specs();
        Divided first = null;
        for (ExampleInputs.Kind kind : ExampleInputs.Kind.values()) {
            List<?> samples = source.example() != null ? source.example() : ExampleInputs.of(specs, kind);
            Graph graph = prepared(object, KeptParts.changing(object, how.kept()));
            QuantizedCore core = options.mode() == ConversionMode.FULL ? QuantizedCore.cut(graph) : null;
            if (first == null) {
                noteChannelScales(graph);
            }
            List<?> given = core != null && !core.isEmpty() ? quantized(Structures.tensors(samples), core) : samples;
            Divided divided = new Divided(FreeConversion.convert(graph, object, method, given, how, runtime), given, core);
            if (divided.made().ran() || source.example() != null) {
                return divided;
            }
            first = first == null ? divided : first;
        }
        return first;
    }

    /** @param otherwise why there is no conversion where nothing is refused and nothing pays */
    private Conversion free(List<InputSpec> specs, List<Refusal> otherwise) {
        Set<String> kept = KeptParts.byDefault(module.object(), Set.of(method));
        kept.addAll(options.keptMethods());
        Divided divided = divided(module.object(), freeOptions(kept, method, true, options.cpuFallback() ? new WeightViews(module.object()) : UnaryOperator.identity()));
        FreeConversion made = divided.made();
        if (options.mode() == ConversionMode.CORE) {
            notes.add("quantize and dequantize steps went to NNAPI or stayed where they are, as the model is not one that PyTorch's converter would take");
        }
        if (made.module() == null) {
            if (!made.refusals().isEmpty()) {
                notes.add("no part of the model is worth a start of NNAPI; " + EVERYTHING_PAYS);
            }
            return refused(made.refusals().isEmpty() ? otherwise : made.refusals());
        }
        noteRuntimes(made.segments());
        List<LoweredModel> models = models(made);
        java.util.function.Function<String, ArchiveWriter> archive = archive(made.module(), models);
        noteMethods(made.module(), Set.of(method));
        noteCoverage(made);
        Refusal wrong = options.selfCheck() ? checked(models, archive, divided, kept) : null;
        return wrong != null ? refused(List.of(wrong))
            : new Conversion(models, false, archive, report(models, texts(specs), made.coverage(), made.levels(), notes, made.refusals()), made.whole());
    }

    static List<LoweredModel> models(FreeConversion made) {
        return made.segments().stream().map(LoweredSegment::model).collect(Streams.toList());
    }

    void noteRuntimes(List<LoweredSegment> segments) {
        boolean needsOwnRuntime = segments.stream().anyMatch(segment -> segment.model().model().needsOwnRuntime());
        if (needsOwnRuntime) {
            notes.add("needs this library's runtime: PyTorch refuses the file when it loads it, naming torch_nnapi.Compilation");
        } else if (target().ownRuntime()) {
            notes.add("nothing in it needs this library's runtime: PyTorch's own loader takes it too, where Android tells ranks");
        }
        if (!needsOwnRuntime && !target().tellsRanks()) {
            notes.add("for this library's runtime: PyTorch's own loader asks for the ranks of results, which Android tells from 10 (API level 29) on");
        }
    }

    /** Of a converted module, whose NNAPI models these are; makes the archive of a top folder. */
    java.util.function.Function<String, ArchiveWriter> archive(ScriptObject converted, List<LoweredModel> models) {
        return folder -> {
            ArchiveWriter writer = new ModuleWriter(converted, (function, arguments) -> module.interpreter().run(function, Arrays.asList(arguments), Map.of()))
                .debugInfo(false).archive(folder);
            module.archive().extraFiles().forEach(writer::extra);
            if (options.lines()) {
                OperationLines.write(models).forEach(writer::extra);
            }
            return writer.source(ModuleEmitter.MARKER, "");
        };
    }

    void noteMethods(ScriptObject converted, Set<String> methods) {
        List<String> left = module.object().type().methods().stream().map(Function::name)
            .filter(name -> !name.startsWith("_") && converted.type().method(name) == null).collect(Streams.toList());
        if (!left.isEmpty()) {
            notes.add("methods that " + String.join(" or ", new TreeSet<>(methods)) + " calls and that hold weights are not kept beside it: " + String.join(", ", left) + " (option keep keeps them)");
        }
    }

    void noteCoverage(FreeConversion made) {
        Coverage coverage = made.coverage();
        if (!made.refusals().isEmpty()) {
            notes.add("NNAPI computes " + coverage.text() + ", in " + coverage.segments() + " segment" + (coverage.segments() == 1 ? "" : "s") + "; the rest stays TorchScript");
        }
    }

    /**
     * Checks the method of a converted module.
     *
     * @return why it is not to be written, or null
     */
    Refusal checked(List<LoweredModel> models, java.util.function.Function<String, ArchiveWriter> archive, Divided divided, Set<String> kept) {
        Refusal wrong = selfCheck(models, archive, divided.core());
        return wrong == null ? null : diverging(wrong, divided.samples(), kept);
    }

    private Target target() {
        return options.target() == null ? Target.DEFAULT : options.target();
    }

    /**
     * Looks into a failed check. Where each operation of the segments agrees with the original on what the original gives it, and so does the TorchScript
     * around them, other results are no error if the original comes to the same ones from what the segments return, or if its own differ as much once its inputs
     * change by their last bits.
     *
     * @return the refusal with what was found, or null
     */
    private Refusal diverging(Refusal wrong, List<?> samples, Set<String> kept) {
        if (!wrong.found().startsWith(RESULT)) {
            return wrong;
        }
        SelfCheck.Bound bound = options.relaxed() ? SelfCheck.Bound.RELAXED : SelfCheck.Bound.REAL;
        Divergence found;
        Duration time = options.checkLimit().multipliedBy(RUNS_OF_A_CLOSER_LOOK);
        TimeLimit limit = new TimeLimit(time);
        try (limit) {
            Graph graph = prepared(KeptParts.changing(module.object(), kept));
            found = Divergence.find(graph, module, method, samples, checked, freeOptions(kept, method, true, UnaryOperator.identity()), runtime, bound);
        } catch (RuntimeException unsuited) {
            return hasNoRoom(unsuited) ? withoutRoom(wrong, unsuited) : !limit.isOver() ? wrong
                : new Refusal(wrong.node(), wrong.where(), wrong.operands(), wrong.rule(), wrong.found() + "; looking for the operation that differs took more than "
                    + time.toMillis() / 1000.0 + " s", wrong.expected(), "give smaller inputs, or more time for the self-check; it can be turned off");
        } catch (OutOfMemoryError full) {
            return withoutRoom(wrong, full);
        }
        if (found.node() != null) {
            return new Refusal(wrong.node(), found.node().range(), wrong.operands(), wrong.rule(), wrong.found() + "; the first operation that differs is "
                + found.node().kind() + ": " + found.text(), wrong.expected(), wrong.advice());
        }
        if (found.rest() != null) {
            return new Refusal(wrong.node(), wrong.where(), wrong.operands(), wrong.rule(), wrong.found() + "; each NNAPI part agrees on the original's values, what is "
                + "around them does not: " + found.rest(), wrong.expected(), wrong.advice());
        }
        String unsteady = found.follows() ? null : SelfCheck.unsteady(module, method, samples, bound);
        if (unsteady == null && !found.follows()) {
            return wrong;
        }
        notes.add("self-check: the results differ (" + wrong.found() + "), as the original's own do " + (found.follows() ? "where NNAPI's rounding comes into what it does "
            + "with the values of its NNAPI parts" : "where its inputs change by their last bits (" + unsteady + ")") + "; " + found.text()
            + " and the TorchScript around agree with the original on the original's values");
        return null;
    }

    private static boolean hasNoRoom(Throwable failure) {
        return failure instanceof MemoryException || failure.getCause() != null && hasNoRoom(failure.getCause());
    }

    private static Refusal withoutRoom(Refusal wrong, Throwable full) {
        return new Refusal(wrong.node(), wrong.where(), wrong.operands(), wrong.rule(), wrong.found() + "; whether its operations are right is not known, as memory ran out: "
            + full.getMessage(), wrong.expected(), "give Java a larger heap; the self-check can be turned off");
    }

    /**
     * @param name     what the converted method is called
     * @param fallback whether its original stays beside it, if the options say so
     * @param weights  gives the tensor to keep in the place of a weight
     */
    FreeOptions freeOptions(Set<String> kept, String name, boolean fallback, UnaryOperator<Tensor> weights) {
        return new FreeOptions(options.segmentCost(), target(), options.target() != null, options.preference().ordinal(), options.relaxed(), kept, fallback && options.cpuFallback(), name, weights);
    }

    private Conversion likePyTorch(Graph graph, List<InputSpec> outer) {
        List<InputSpec> specs = outer;
        QuantizedCore core = null;
        if (options.mode() == ConversionMode.CORE || options.mode() == ConversionMode.FULL) {
            core = QuantizedCore.cut(graph);
            specs = core.specs(specs);
            if (core.isEmpty()) {
                notes.add("the model has no quantize or dequantize step at its ends to keep outside");
            }
        } else if (options.mode() == ConversionMode.EMBEDDED) {
            specs = InputSource.channelsLastWhereQuantized(graph, specs);
        }
        GraphLowering.Outcome outcome = GraphLowering.lower(graph, specs, options.int16(), options.returnShapes());
        if (outcome.model() == null) {
            return refused(outcome.refusals());
        }
        Refusal illegal = legality(outcome.model());
        if (illegal != null) {
            return refused(List.of(illegal));
        }
        ModuleEmitter emitter = emitter(outcome.model(), core);
        List<LoweredModel> models = List.of(outcome.model());
        Refusal wrong = options.selfCheck() ? selfCheck(models, emitter::archive, core) : null;
        if (wrong != null) {
            return refused(List.of(wrong));
        }
        return new Conversion(models, true, emitter::archive, report(models, texts(specs), coverage(graph, outcome.model()), List.of(), notes, List.of()));
    }

    /** A refusal if NNAPI does not take the model, or null. */
    private Refusal legality(LoweredModel model) {
        for (ModelAssembler.AssembledOperation operation : model.model().operations()) {
            // The runtime folds the dimensions of what is only reshaped.
            boolean folds = operation.type() == OperationType.RESHAPE && model.model().operand(operation.outputs()[0]).rank() <= MAX_RANK;
            for (int id : operation.inputs()) {
                TensorOperand operand = model.model().operand(id);
                if (operand.rank() > MAX_RANK && !folds) {
                    return new Refusal("model", SourceRange.NONE, List.of(), "NNAPI's tensors have few dimensions", operand.text(), "at most " + MAX_RANK, "");
                }
            }
        }
        try {
            int[] words = SerializedModelEncoder.encode(model).words();
            Model legal = NnapiPart.requireLegal(Tensor.of(words, words.length), model.model().weights().stream().map(Tensor::arranged).collect(Streams.toList()));
            LevelCheck level = options.target() == null ? null : LevelCheck.of(legal, options.target().level());
            return level == null || level.passes() ? null
                : new Refusal("model", SourceRange.NONE, List.of(), "the operations must be those of the Android that is converted for", level.text(),
                    Target.text(level.level()), "models whose sizes are open, and quantized cores, are converted as PyTorch does: for Android 10 or later");
        } catch (NnapiException e) {
            return new Refusal("model", SourceRange.NONE, List.of(), "NNAPI must take the converted model", e.getMessage(), "a legal NNAPI model", "");
        }
    }

    Conversion refused(List<Refusal> refusals) {
        return new Conversion(List.of(), false, null, ConversionReport.refused(refusals, notes));
    }

    private Map<String, ByteBuffer> extraFiles(LoweredModel model) {
        Map<String, ByteBuffer> files = new LinkedHashMap<>(module.archive().extraFiles());
        if (options.lines()) {
            files.putAll(OperationLines.write(List.of(model)));
        }
        return files;
    }

    private ModuleEmitter emitter(LoweredModel model, QuantizedCore core) {
        ModuleEmitter emitter = new ModuleEmitter(model).preference(options.preference().ordinal()).relaxed(options.relaxed())
            .extraFiles(extraFiles(model));
        List<List<Tensor>> bundled = source.bundledTensors();
        if (core != null && !core.isEmpty()) {
            if (options.mode() == ConversionMode.CORE) {
                emitter.quantizedShell(core.inputs().stream()
                    .map(step -> step == null ? null : new double[] {step.scale(), step.zeroPoint()}).collect(Streams.toList()), core.outputs());
            } else {
                bundled = bundled.stream().map(arguments -> quantized(arguments, core)).collect(Streams.toList());
            }
        }
        if (!bundled.isEmpty() && bundled.get(0).size() == model.inputLayouts().size()) {
            emitter.bundledInputs(bundled);
        }
        return emitter;
    }

    private static List<Tensor> quantized(List<Tensor> arguments, QuantizedCore core) {
        List<Tensor> out = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            QuantizedCore.Quantizer step = i < core.inputs().size() ? core.inputs().get(i) : null;
            Tensor argument = arguments.get(i);
            out.add(step == null || argument.dtype().isQuantized() ? argument : TensorQuantizer.toQuint8(argument, step.scale(), step.zeroPoint()));
        }
        return out;
    }

    /** A refusal if the converted module cannot run, returns something else than the original, or either runs too long; otherwise null. */
    private Refusal selfCheck(List<LoweredModel> models, java.util.function.Function<String, ArchiveWriter> archive, QuantizedCore core) {
        try (TimeLimit limit = new TimeLimit(options.checkLimit())) {
            Refusal wrong = compared(models, archive, core);
            return wrong == null || !limit.isOver() ? wrong : new Refusal("model", SourceRange.NONE, List.of(), "the self-check must end in time",
                "the model and its conversion ran for " + options.checkLimit().toMillis() / 1000.0 + " s", "less",
                "give smaller inputs, or more time for the self-check; it can be turned off");
        }
    }

    private Refusal compared(List<LoweredModel> models, java.util.function.Function<String, ArchiveWriter> archive, QuantizedCore core) {
        boolean random = source.example() == null;
        List<?> inputs = source.example();
        String kind = options.example() != null ? "the given example" : "the first bundled inputs";
        List<Tensor> expected = null;
        Refusal failing = null;
        for (ExampleInputs.Kind made : ExampleInputs.Kind.values()) {
            if (random) {
                inputs = ExampleInputs.of(source.specs(), made);
                kind = made.text();
            }
            try {
                expected = expected(inputs);
                break;
            } catch (RuntimeException e) {
                failing = failing != null ? failing : new Refusal("model", SourceRange.NONE, List.of(), "the self-check runs the original",
                    "on " + kind + " it fails: " + e.getMessage(), "a model that runs", random ? "give inputs that the model takes as examples; the self-check can be turned off" : "");
                if (!random) {
                    break;
                }
            }
        }
        if (expected == null) {
            return failing;
        }
        boolean quantizesOutside = core != null && options.mode() == ConversionMode.FULL;
        SelfCheck.Result result;
        String devices;
        try (WrittenModule written = WrittenModule.of(new Conversion(models, false, archive, null))) {
            if (models.stream().flatMap(model -> model.model().weights().stream()).anyMatch(weight -> bytes(weight.storage()) > LARGE)) {
                // Weights that were arranged to be written leave the heap before as many are packed.
                System.gc();
            }
            ScriptModule converted = ScriptModule.of(written.archive(), runtime);
            List<Tensor> actual;
            try (CompiledParts parts = new CompiledParts(converted.object())) {
                actual = SelfCheck.run(converted, method, quantizesOutside ? quantized(Structures.tensors(inputs), core) : inputs);
                devices = String.join(", ", parts.devices());
            }
            checked = actual;
            boolean quantized = isDynamic || models.stream().flatMap(model -> model.model().operands().stream()).anyMatch(TensorOperand::isQuantized);
            result = SelfCheck.compare(expected, actual, quantized ? SelfCheck.Bound.QUANTIZED
                : options.relaxed() ? SelfCheck.Bound.RELAXED : SelfCheck.Bound.REAL);
            if (quantized && !result.agrees()) {
                result = meant(result, inputs, actual);
            }
        } catch (RuntimeException e) {
            return wrong("it fails: " + e.getMessage());
        }
        if (!result.agrees()) {
            return wrong(result.text());
        }
        notes.add("self-check passed on " + devices + " with " + kind + ": " + result.text());
        return null;
    }

    /** Compares quantized results that differ from the original's with what its operators mean, where PyTorch computes something else. */
    private SelfCheck.Result meant(SelfCheck.Result differing, List<?> inputs, List<Tensor> actual) {
        SelfCheck.Result result = SelfCheck.compare(SelfCheck.runAsMeant(module, method, inputs), actual, SelfCheck.Bound.QUANTIZED);
        if (!result.agrees()) {
            return differing;
        }
        notes.add("PyTorch 1.13's QNNPACK gives other answers here for channels-last: where it limits quantized tensors (relu6, hardtanh, clamp), elements change places; the "
            + "converted model computes what the operators mean (against PyTorch's answers: " + differing.text() + ")");
        return result;
    }

    /** What the original returns. The converted module, which packs as many weights, finds the memory free that the original's took. */
    private List<Tensor> expected(List<?> inputs) {
        ScriptModule once = module.withOwnPrograms();
        List<Tensor> results = SelfCheck.runOriginal(once, method, inputs);
        if (once.programMemory().weights() > LARGE) {
            once = null;
            // Memory outside the heap goes with the objects that hold it, of which the heap has few.
            System.gc();
        }
        return results;
    }

    private Refusal wrong(String found) {
        return new Refusal("model", SourceRange.NONE, source.specs().stream().map(InputSpec::toString).collect(Streams.toList()),
            "the converted model must return what the original returns", found, "equal results",
            "please report this model; the self-check can be turned off");
    }

    static ConversionReport report(List<LoweredModel> models, List<String> inputs, Coverage coverage, List<LevelCoverage> levels, List<String> notes,
                                           List<Refusal> refusals) {
        FeatureLevelNeed need = FeatureLevelNeed.NONE;
        Map<String, Integer> operations = new LinkedHashMap<>();
        List<String> outputs = new ArrayList<>();
        long bytes = 0;
        for (LoweredModel lowered : models) {
            ModelAssembler model = lowered.model();
            model.operations().forEach(operation -> operations.merge(operation.type().name(), 1, Integer::sum));
            int[] words = SerializedModelEncoder.encode(lowered).words();
            need = need.and(NnapiPart.requireLegal(Tensor.of(words, words.length), model.weights().stream().map(Tensor::arranged).collect(Streams.toList())).featureLevelNeed());
            bytes += model.weights().stream().map(Tensor::storage).distinct().mapToLong(Converter::bytes).sum();
            model.outputs().forEach(id -> outputs.add(model.operand(id).text()));
        }
        return new ConversionReport(true, inputs, outputs, operations, bytes, coverage, need, levels,
            notes, refusals);
    }

    private static List<String> texts(List<InputSpec> specs) {
        return specs.stream().map(InputSpec::toString).collect(Streams.toList());
    }

    private static Coverage coverage(Graph graph, LoweredModel model) {
        int operators = (int) graph.block().nodes().stream().filter(node -> !node.kind().startsWith("prim::")).count();
        long products = Work.multiplications(model);
        return new Coverage(1, operators, operators, products, products, 0);
    }

    private static long bytes(Storage storage) {
        return (long) storage.length() * storage.dtype().bytes();
    }
}
