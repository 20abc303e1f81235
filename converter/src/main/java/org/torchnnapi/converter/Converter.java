package org.torchnnapi.converter;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.check.Structures;
import org.torchnnapi.converter.emit.ConvertedInputs;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.emit.OperationLines;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.emit.WeightViews;
import org.torchnnapi.converter.free.ConvertedOperators;
import org.torchnnapi.converter.free.FreeConversion;
import org.torchnnapi.converter.free.FreeOptions;
import org.torchnnapi.converter.free.HeldNumbers;
import org.torchnnapi.converter.free.KeptParts;
import org.torchnnapi.converter.free.LoweredSegment;
import org.torchnnapi.converter.free.OpenConversion;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.converter.lower.ModelAssembler;
import org.torchnnapi.converter.lower.OperandLayout;
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
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
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

    static final Refusal CONVERTED = new Refusal("model", SourceRange.NONE, List.of(), "the model must be an ordinary one",
        "a model that was converted already", "no part that calls _nnapi.Compilation", "convert the file it was made of");
    static final Refusal OPEN_SHAPES = new Refusal("model", SourceRange.NONE, List.of(), "several methods or shapes at once convert for fixed sizes, without int16 and given shapes of results",
        "sizes that are left open, int16 or shapes of results", "fixed sizes", "convert one method, whose sizes may be open, or give all its shapes");
    private static final String EVERYTHING_PAYS = "to convert whatever can be, take a device of which neither starts nor bytes cost anything (--profile start=0,bytes=1e15)";
    private static final String PAYS = "parts on NNAPI must pay for a start of it and for copies";
    /** Where whatever NNAPI could compute has no products: a start for it pays on no device. */
    private static final Refusal NO_PRODUCTS = Refusal.ofModel(PAYS, "no part with multiply-adds", "a part that NNAPI computes faster", "");
    static final Refusal NOTHING_PAYS = new Refusal("model", SourceRange.NONE, List.of(), PAYS,
        "no part that pays", "a part that NNAPI computes faster", EVERYTHING_PAYS);

    private final ScriptModule module;
    private final ConversionOptions options;
    private final ScriptRuntime runtime;
    private final String method;
    private final InputSource source;
    private final List<String> notes = new ArrayList<>();
    /** An example whose numbers are those of every run; null where they may differ. */
    private List<?> held;
    private List<String> fixed = List.of();
    /** Whether the original quantizes the inputs of some layers as it goes. */
    private boolean isDynamic;

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
            throw new IllegalArgumentException("inputs: not described (expected: types and sizes, such as float32[1,3,224,224], an example, or a model with bundled inputs)");
        }
        FunctionSchema schema = module.method(method).schema();
        int given = options.example() != null ? options.example().size() : specs.size();
        int most = Math.max(0, schema.arguments().size() - 1);
        if (source.isPlain() && given > most) {
            return refused(List.of(Refusal.ofModel("no more inputs than the method takes", given + " inputs", "at most " + most + ", " + schema, "describe each argument once")));
        }
        if (ModuleEmitter.isConverted(module.archive())) {
            return refused(List.of(CONVERTED));
        }
        if (!method.equals(FORWARD) && !isFree()) {
            return refused(List.of(OPEN_SHAPES));
        }
        try {
            boolean own = !source.isPlain() || source.hasEmptyTensors() || options.cpuFallback() || !options.keptMethods().isEmpty() || options.target() != null || hasOthers();
            if (own && (isFree() || !source.isPlain())) {
                return free(specs, List.of(NO_PRODUCTS));
            }
            if (options.cpuFallback() || !options.keptMethods().isEmpty()) {
                notes.add("int16 and given shapes of results convert in PyTorch's way only, with no other method beside");
            }
            // What one way holds of the weights is gone before the other takes them up.
            Conversion likePyTorch = likePyTorch(specs);
            if (likePyTorch.succeeded() && isFree() && PyTorchWay.hasResultsWithoutRoom(likePyTorch.model())) {
                notes.clear();
                notes.addAll(source.notes());
                Conversion free = free(specs, List.of(NO_PRODUCTS));
                return free.succeeded() ? free : likePyTorch;
            }
            if (likePyTorch.succeeded() || !isFree()) {
                return likePyTorch;
            }
            boolean free = likePyTorch.refusals().stream().anyMatch(refusal -> ConvertedOperators.includes(refusal.node()));
            return free(specs, free ? List.of(NO_PRODUCTS) : likePyTorch.refusals());
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
            fixed = held == null ? List.of() : HeldNumbers.run(graph, object.type().method(method).schema(), held);
            if (!fixed.isEmpty()) {
                Passes.simplify(graph);
            }
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

    /** Whether the converter may do it in its own way. */
    private boolean isFree() {
        boolean open = source.hasOpenSizes();
        return !options.int16() && options.returnShapes() == null && (!open || source.isPlain() && options.mode() == ConversionMode.NONE);
    }

    /** Whether {@link #divided} does it, for inputs of fixed shapes. */
    boolean isFreeForFixedSizes() {
        return !source.hasOpenSizes() && isFree();
    }

    private void noteChannelScales(Graph graph) {
        long layers = graph.block().nodes().stream().filter(node -> !node.kind().endsWith("_dynamic") && node.inputs().stream().anyMatch(Converter::hasChannelScales)).count();
        if (layers > 0 && !target().ownRuntime()) {
            notes.add(Strings.counted(layers, "layer") + " with a scale a channel " + (layers == 1 ? "multiplies" : "multiply") + " real numbers, as PyTorch's loader has no place for such scales: as exact as the model, but as large "
                + "as float ones (--runtime torch-nnapi keeps them 8-bit, and so does quantizing without --per-channel)");
        }
    }

    private static boolean hasChannelScales(Value packed) {
        Object value = Literals.of(packed).map(Literals.Literal::value).orElse(null);
        Object payload = value instanceof CustomObject object ? object.payload() : null;
        Tensor weight = payload instanceof ConvolutionParams convolution ? convolution.weight() : payload instanceof LinearParams linear ? linear.weight() : null;
        return weight != null && weight.quantization() instanceof Quantization.PerChannel;
    }

    /**
     * @param core    what was cut off, or null
     * @param further other arguments to check with; null where sizes are fixed
     */
    record Divided(FreeConversion made, List<?> samples, QuantizedCore core, List<List<Tensor>> further) {
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
            List<?> given = core != null && !core.isEmpty() ? core.quantized(Structures.tensors(samples)) : samples;
            Divided divided = new Divided(FreeConversion.convert(graph, object, method, given, how, runtime), given, core, null);
            if (held == null && core == null && divided.made().module() == null && divided.made().ran()) {
                divided = holding(object, given, how, divided);
            }
            if (divided.made().ran() || source.example() != null) {
                return divided;
            }
            first = first == null ? divided : first;
        }
        return first;
    }

    /** Where nothing converts for any numbers, what converts for those of the example, or else what there was. */
    private Divided holding(ScriptObject object, List<?> given, FreeOptions how, Divided any) {
        held = given;
        Graph graph = prepared(object, KeptParts.changing(object, how.kept()));
        FreeConversion made = fixed.isEmpty() ? null : FreeConversion.convert(graph, object, method, given, how, runtime);
        if (made == null || made.module() == null) {
            held = null;
            return any;
        }
        notes.add("converted for " + String.join(", ", fixed) + ", as in the example: for other numbers, which the file refuses, nothing of it would pay on NNAPI");
        return new Divided(made, given, null, null);
    }

    /** The same for sizes that are left open, whose models are always in the form that PyTorch's loader takes too. */
    private Divided dividedOpen(FreeOptions wanted) {
        FreeOptions how = new FreeOptions(wanted.cost(), wanted.target().withOwnRuntime(false), wanted.compares(), wanted.preference(), wanted.relaxed(), wanted.kept(),
            wanted.fallback(), wanted.name(), wanted.weights());
        Graph graph = prepared(KeptParts.changing(module.object(), how.kept()));
        Divided first = null;
        for (ExampleInputs.Kind kind : ExampleInputs.Kind.values()) {
            List<Tensor> example = source.example() == null ? null : Structures.tensors(source.example());
            OpenConversion made = OpenConversion.convert(graph, module.object(), method, source.specs(), example, kind, how, runtime);
            Divided divided = new Divided(made.made(), made.samples(), null, made.further());
            if (example != null || made.ran() && runs(made.samples())) {
                notes.addAll(made.notes());
                return divided;
            }
            first = first == null ? divided : first;
        }
        return first;
    }

    /** Whether the original takes made inputs, whose numbers may lie outside of its tables; without a self-check that does not matter. */
    private boolean runs(List<?> inputs) {
        try {
            if (options.selfCheck()) {
                SelfCheck.runOriginal(module, method, inputs);
            }
            return true;
        } catch (RuntimeException unfit) {
            return false;
        }
    }

    /** @param otherwise why there is no conversion where nothing is refused and nothing pays */
    private Conversion free(List<InputSpec> specs, List<Refusal> otherwise) {
        Set<String> kept = KeptParts.byDefault(module.object(), Set.of(method));
        kept.addAll(options.keptMethods());
        FreeOptions how = freeOptions(kept, method, true, options.cpuFallback() ? new WeightViews(module.object()) : UnaryOperator.identity());
        Divided divided = source.hasOpenSizes() ? dividedOpen(how) : divided(module.object(), how);
        FreeConversion made = divided.made();
        if (options.mode() == ConversionMode.CORE) {
            notes.add("quantize and dequantize steps went to NNAPI or stayed where they are, as the model is not one that PyTorch's converter would take");
        }
        if (made.module() == null) {
            if (made.ran() && made.unpaid() && !made.refusals().isEmpty()) {
                notes.add("no part of the model is worth a start of NNAPI; " + EVERYTHING_PAYS);
            }
            return refused(!made.refusals().isEmpty() ? made.refusals() : made.unpaid() ? List.of(NOTHING_PAYS) : otherwise);
        }
        noteSegments(made.segments());
        List<LoweredModel> models = models(made);
        java.util.function.Function<String, ArchiveWriter> archive = archive(made.module(), models, inputs(made, divided.samples()));
        noteMethods(made.module(), Set.of(method));
        noteCoverage(made);
        Refusal wrong = options.selfCheck() ? checked(models, archive, divided, kept) : null;
        return wrong != null ? refused(List.of(wrong))
            : new Conversion(models, false, archive, report(models, texts(specs), made.coverage(), made.levels(), notes, made.refusals()), made.whole());
    }

    private Conversion likePyTorch(List<InputSpec> specs) {
        Graph graph = prepared(Set.of());
        return new PyTorchWay(module, options, source, notes).convert(graph, specs, check(), isDynamic);
    }

    /** What an NNAPI model tells that is all of the method is not told twice. */
    private ConvertedInputs inputs(FreeConversion made, List<?> samples) {
        ConvertedInputs inputs = new ConvertedInputs();
        boolean told = made.whole() != null && source.isPlain() && made.whole().inputs().size() == samples.size();
        return told ? inputs : inputs.add(method, samples);
    }

    static List<LoweredModel> models(FreeConversion made) {
        return made.segments().stream().map(LoweredSegment::model).collect(Streams.toList());
    }

    void noteSegments(List<LoweredSegment> segments) {
        boolean needsOwnRuntime = segments.stream().anyMatch(segment -> segment.model().model().needsOwnRuntime());
        if (needsOwnRuntime) {
            notes.add("needs this library's runtime: PyTorch refuses the file when it loads it, naming torch_nnapi.Compilation");
        } else if (target().ownRuntime()) {
            notes.add("nothing in it needs this library's runtime: PyTorch's own loader takes it too, where Android tells ranks");
        }
        if (!needsOwnRuntime && !target().tellsRanks()) {
            notes.add("for this library's runtime: PyTorch's own loader asks for the ranks of results, which Android tells from 10 (API level 29) on");
        }
        List<String> chunks = segments.stream().filter(segment -> segment.rows() > 0).map(segment -> String.valueOf(segment.rows())).collect(Streams.toList());
        if (!chunks.isEmpty()) {
            notes.add("of tensors with as many rows as elements decide, " + Strings.counted(chunks.size(), "segment") + (chunks.size() == 1 ? " takes" : " take")
                + " rows in chunks of " + String.join(", ", chunks) + ", the last one filled up with zeros");
        }
    }

    /** Of a converted module, whose NNAPI models these are; makes the archive of a top folder. */
    java.util.function.Function<String, ArchiveWriter> archive(ScriptObject converted, List<LoweredModel> models, ConvertedInputs inputs) {
        return folder -> {
            ArchiveWriter writer = new ModuleWriter(converted, (function, arguments) -> module.interpreter().run(function, Arrays.asList(arguments), Map.of()))
                .debugInfo(false).archive(folder);
            module.archive().extraFiles().forEach(writer::extra);
            inputs.write().forEach(writer::extra);
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
            notes.add("NNAPI computes " + coverage.text() + ", in " + Strings.counted(coverage.segments(), "segment") + "; the rest stays TorchScript");
        }
    }

    /**
     * Checks the method of a converted module.
     *
     * @return why it is not to be written, or null
     */
    Refusal checked(List<LoweredModel> models, java.util.function.Function<String, ArchiveWriter> archive, Divided divided, Set<String> kept) {
        ConversionCheck check = check();
        Supplier<Graph> graph = () -> prepared(KeptParts.changing(module.object(), kept));
        FreeOptions how = freeOptions(kept, method, true, UnaryOperator.identity());
        if (divided.further() != null) {
            return check.run(models, archive, isDynamic, divided.samples(), divided.further(), graph, how);
        }
        Refusal wrong = check.run(models, archive, divided.core(), isDynamic);
        return wrong == null ? null : check.closer(wrong, graph, divided.samples(), how);
    }

    private ConversionCheck check() {
        return new ConversionCheck(module, method, options, source, runtime, notes);
    }

    private Target target() {
        return options.target() == null ? Target.DEFAULT : options.target();
    }

    /**
     * @param name     what the converted method is called
     * @param fallback whether its original stays beside it, if the options say so
     * @param weights  gives the tensor to keep in the place of a weight
     */
    FreeOptions freeOptions(Set<String> kept, String name, boolean fallback, UnaryOperator<Tensor> weights) {
        return new FreeOptions(options.segmentCost(), target(), options.target() != null, options.preference().ordinal(), options.relaxed(), kept, fallback && options.cpuFallback(), name, weights);
    }

    Conversion refused(List<Refusal> refusals) {
        return refused(refusals, notes);
    }

    static Conversion refused(List<Refusal> refusals, List<String> notes) {
        return new Conversion(List.of(), false, null, ConversionReport.refused(refusals, notes));
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
            for (int i = 0; i < model.outputs().size(); i++) {
                outputs.add(asPyTorchHasIt(model.operand(model.outputs().get(i)), lowered.outputLayouts().get(i)).text());
            }
        }
        return new ConversionReport(true, inputs, outputs, operations, bytes, coverage, need, levels,
            notes, refusals);
    }

    /** Operands of parts are N, H, W, C where the converted module returns N, C, H, W of them. */
    private static TensorOperand asPyTorchHasIt(TensorOperand operand, OperandLayout returned) {
        if (operand.layout() != OperandLayout.CONTIGUOUS || returned != OperandLayout.CHANNELS_LAST) {
            return operand;
        }
        int[] shape = new int[operand.rank()];
        for (int dimension = 0; dimension < shape.length; dimension++) {
            shape[dimension] = operand.size(returned.toNnapi(dimension));
        }
        return operand.withShape(shape).withLayout(returned);
    }

    static List<String> texts(List<InputSpec> specs) {
        return specs.stream().map(InputSpec::toString).collect(Streams.toList());
    }

    static long bytes(Storage storage) {
        return (long) storage.length() * storage.dtype().bytes();
    }
}
