package org.torchnnapi.converter;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.emit.ConvertedInputs;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.emit.OperationLines;
import org.torchnnapi.converter.emit.WeightViews;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.partition.DynamicShapeConversion;
import org.torchnnapi.converter.partition.LoweredSegment;
import org.torchnnapi.converter.partition.NativeOptions;
import org.torchnnapi.converter.partition.NativePipeline;
import org.torchnnapi.converter.partition.QuantizeSteps;
import org.torchnnapi.converter.partition.QuantizedCore;
import org.torchnnapi.converter.partition.RetainedMembers;
import org.torchnnapi.converter.partition.ScalarSpecialization;
import org.torchnnapi.converter.report.ConversionReport;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.Deadline;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Interruption;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Converts a TorchScript module to one that runs on NNAPI, with the same arguments and results. The steps: freeze and
 * simplify the graph, cut off quantize steps if the mode says so, lower every node, put the file together, check it.
 */
public final class Converter {
    static final Refusal CONVERTED = new Refusal(
            "model",
            SourceRange.NONE,
            List.of(),
            "the model must be an ordinary one",
            "a model that was converted already",
            "no part that calls _nnapi.Compilation",
            "convert the file it was made of");
    static final Refusal OPEN_SHAPES = new Refusal(
            "model",
            SourceRange.NONE,
            List.of(),
            "several methods or shapes at once convert for fixed sizes",
            "sizes that are left open",
            "fixed sizes",
            "convert one method, whose sizes may be open, or give all its shapes");
    private static final String NO_STEPS = "the model has no quantize or dequantize step at its ends to keep outside";
    private static final String EVERYTHING_PAYS =
            "to convert whatever can be, take a device of which neither starts nor bytes cost anything (--profile "
                    + "start=0,bytes=1e15)";
    private static final String PAYS = "parts on NNAPI must pay for a start of it and for copies";
    /** Where whatever NNAPI could compute has no products: a start for it pays on no device. */
    private static final Refusal NO_PRODUCTS =
            Refusal.ofModel(PAYS, "no part with multiply-adds", "a part that NNAPI computes faster", "");

    static final Refusal NOTHING_PAYS = new Refusal(
            "model",
            SourceRange.NONE,
            List.of(),
            PAYS,
            "no part that pays",
            "a part that NNAPI computes faster",
            EVERYTHING_PAYS);

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
        this.method = MethodChoice.of(module, options);
        this.source = InputSource.of(module, method, options);
        notes.addAll(source.notes());
    }

    /**
     * Converts the module's {@code forward}.
     *
     * @param module the original; not changed
     * @param runtime what converted modules are loaded into for the self-check
     * @return a converted model, or every reason against one
     * @throws IllegalArgumentException if the module has no such method, or nothing describes its inputs
     * @throws org.torchnnapi.execution.DeadlineException over the options' deadline
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     * @see ConversionOptions#defaults() for where inputs come from
     */
    public static Conversion convert(ScriptModule module, ConversionOptions options, ScriptRuntime runtime) {
        return within(options, () -> one(module, options, runtime));
    }

    private static Conversion within(ConversionOptions options, Supplier<Conversion> work) {
        return Deadline.within(options.deadline(), "convert", () -> {
            try {
                return work.get();
            } finally {
                // What an interrupt ended may have been taken for a model that does not run.
                Interruption.check();
            }
        });
    }

    private static Conversion one(ScriptModule module, ConversionOptions options, ScriptRuntime runtime) {
        Converter converter = new Converter(module, options, runtime);
        Conversion made = converter.run();
        if (made.succeeded() || !converter.source.leavesOpen() || converter.source.example() == null) {
            return made;
        }
        Converter fixed = new Converter(module, options.withExample(converter.source.example()), runtime);
        fixed.source
                .notes()
                .add("converted for the sizes of the file's example alone: for those that the file leaves open, "
                        + made.refusals().get(0).text());
        fixed.notes.addAll(fixed.source.notes());
        return fixed.run();
    }

    /**
     * Converts several methods of a module, or one for inputs of several shapes, which what is made chooses among when
     * it runs; for other shapes the original computes. Weights that several use in the same form are stored once.
     *
     * @param module the original; not changed
     * @param wanted per method and per shapes of its inputs how to convert it; all but method and inputs is that of the
     *     first
     * @param runtime what converted modules are loaded into for the self-check
     * @return a converted model with all of them, or every reason against one; methods that NNAPI cannot compute faster
     *     stay as they are
     * @throws IllegalArgumentException if the module lacks a method, nothing describes its inputs, or two have the same
     *     shapes
     */
    public static Conversion convert(ScriptModule module, List<ConversionOptions> wanted, ScriptRuntime runtime) {
        return wanted.size() == 1
                ? convert(module, wanted.get(0), runtime)
                : within(wanted.get(0), () -> new MethodConversions(module, wanted, runtime).run());
    }

    /**
     * Converts a file; see {@link Conversion#write} for the result. Safe for use by several threads.
     *
     * @param model a {@code .pt} file
     * @return a converted model, or every reason against one
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException if the model has no such method, or nothing describes its inputs: neither
     *     options nor bundled inputs
     */
    public static Conversion convert(Path model, ConversionOptions options) throws IOException {
        ScriptRuntime runtime = Runtimes.standard();
        return Deadline.within(
                options.deadline(),
                "convert",
                () -> convert(ScriptModule.load(model, runtime).eval(), options, runtime));
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

    ConversionNotes said() {
        return new ConversionNotes(notes, target());
    }

    private Conversion run() {
        List<InputSpec> specs = source.specs();
        if (specs == null) {
            throw new IllegalArgumentException(
                    "inputs: not described (expected: types and sizes, such as float32[1,3,224,224], an example, or "
                            + "a model with bundled inputs)");
        }
        FunctionSchema schema = module.method(method).schema();
        int given = options.example() != null ? options.example().size() : specs.size();
        int most = Math.max(0, schema.arguments().size() - 1);
        if (source.isPlain() && given > most) {
            return refused(List.of(Refusal.ofModel(
                    "no more inputs than the method takes",
                    given + " inputs",
                    "at most " + most + ", " + schema,
                    "describe each argument once")));
        }
        if (ModuleEmitter.isConverted(module.source())) {
            return refused(List.of(CONVERTED));
        }
        try {
            return converted(specs);
        } catch (SourceException e) {
            return refused(List.of(new Refusal(
                    "model",
                    new SourceRange(e.entry(), e.line()),
                    List.of(),
                    "the model's code must compile",
                    e.found(),
                    e.expected(),
                    "save the model with PyTorch 1.13")));
        } catch (Unfit e) {
            return refused(List.of(Refusal.ofModel(
                    "the model must fit into one graph", e.getMessage(), "methods without recursion", "")));
        }
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
     * @param object the module, or what came of it when other methods were converted
     * @param changing names of attributes that stay attributes
     */
    private Graph prepared(ScriptObject object, Set<String> changing) {
        try {
            Graph graph = Passes.pure(object, method, changing);
            fixed = held == null
                    ? List.of()
                    : ScalarSpecialization.run(
                            graph, object.type().method(method).schema(), held);
            if (!fixed.isEmpty()) {
                Passes.simplify(graph, object);
            }
            if (!isDynamic && quantizesAsItGoes(graph.block())) {
                isDynamic = true;
                notes.add("dynamically quantized layers multiply real numbers: NNAPI has no quantization by what comes "
                        + "in");
            }
            return graph;
        } catch (IllegalArgumentException e) {
            throw new Unfit(e);
        }
    }

    private static boolean quantizesAsItGoes(Block block) {
        return block.nodes().stream()
                .anyMatch(node -> node.kind().endsWith("_dynamic")
                        || node.kind().startsWith("aten::quantized_")
                        || node.blocks().stream().anyMatch(Converter::quantizesAsItGoes));
    }

    /**
     * @param samples arguments of what is made
     * @param core what was cut off, or null
     * @param further other arguments of it to check with; null where sizes are fixed
     */
    record Divided(NativePipeline made, List<?> samples, QuantizedCore core, List<List<Tensor>> further) {}

    /**
     * Divides the model by an example, or by the first kind of made inputs on which it runs.
     *
     * @param object the module, or what came of it when other methods were converted
     */
    Divided divided(ScriptObject object, NativeOptions how) {
        List<InputSpec> specs = source.specs();
        Divided first = null;
        for (ExampleInputs.Kind kind : ExampleInputs.Kind.values()) {
            List<?> samples = source.example() != null ? source.example() : ExampleInputs.of(specs, kind);
            Graph graph = prepared(object, RetainedMembers.changing(object, how.kept()));
            QuantizeSteps.run(graph);
            QuantizedCore core = core(graph);
            if (first == null) {
                said().channelScales(graph);
            }
            List<?> given = core != null ? core.quantized(samples) : samples;
            NativePipeline made = NativePipeline.convert(graph, object, method, given, how, runtime);
            Divided divided = around(core, how, new Divided(made, given, core, null));
            if (held == null
                    && core == null
                    && divided.made().module() == null
                    && divided.made().ran()) {
                divided = holding(object, given, how, divided);
            }
            if (divided.made().ran() || source.example() != null) {
                return divided;
            }
            first = first == null ? divided : first;
        }
        return first;
    }

    /** What the mode has taken off a graph, which is changed; null where that is nothing. */
    private QuantizedCore core(Graph graph) {
        if (options.mode() != ConversionMode.CORE && options.mode() != ConversionMode.FULL) {
            return null;
        }
        QuantizedCore core = QuantizedCore.cut(graph);
        if (core.isEmpty()) {
            if (!notes.contains(NO_STEPS)) {
                notes.add(NO_STEPS);
            }
            return null;
        }
        return core;
    }

    /** Where the mode keeps the steps on the CPU, they go around what was made without them. */
    private Divided around(QuantizedCore core, NativeOptions how, Divided inner) {
        if (core == null || options.mode() == ConversionMode.FULL || inner.made.module() == null) {
            return inner;
        }
        core.putAround(inner.made.module().type().method(how.name()).graph());
        return new Divided(
                inner.made,
                core.real(inner.samples),
                core,
                inner.further == null
                        ? null
                        : inner.further.stream()
                                .map(arguments -> Structures.tensors(core.real(arguments)))
                                .collect(Streams.toList()));
    }

    /** Where nothing converts for any numbers, what converts for those of the example, or else what there was. */
    private Divided holding(ScriptObject object, List<?> given, NativeOptions how, Divided any) {
        held = given;
        Graph graph = prepared(object, RetainedMembers.changing(object, how.kept()));
        NativePipeline made =
                fixed.isEmpty() ? null : NativePipeline.convert(graph, object, method, given, how, runtime);
        if (made == null || made.module() == null) {
            held = null;
            return any;
        }
        notes.add("converted for " + String.join(", ", fixed)
                + ", as in the example: for other numbers, which the file refuses, nothing of it would pay on NNAPI");
        return new Divided(made, given, null, null);
    }

    /** The same for sizes that are left open, whose models are always in the form that PyTorch's loader takes too. */
    private Divided dividedOpen(NativeOptions wanted) {
        NativeOptions how = wanted.forPyTorchsLoader();
        Graph graph = prepared(RetainedMembers.changing(module.object(), how.kept()));
        QuantizedCore core = core(graph);
        List<InputSpec> specs = core == null ? source.specs() : core.specs(source.specs());
        List<?> outer = source.example();
        List<Tensor> example = outer == null ? null : Structures.tensors(core == null ? outer : core.quantized(outer));
        Divided first = null;
        for (ExampleInputs.Kind kind : ExampleInputs.Kind.values()) {
            DynamicShapeConversion made =
                    DynamicShapeConversion.convert(graph, module.object(), method, specs, example, kind, how, runtime);
            List<?> samples = core == null ? made.samples() : core.real(made.samples());
            Divided divided = around(core, how, new Divided(made.made(), made.samples(), core, made.further()));
            if (example != null || made.ran() && runs(samples)) {
                notes.addAll(made.notes());
                return divided;
            }
            first = first == null ? divided : first;
        }
        return first;
    }

    /**
     * Whether the original takes made inputs, whose numbers may lie outside of its tables; without a self-check that
     * does not matter.
     */
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

    private Conversion converted(List<InputSpec> specs) {
        Set<String> kept = RetainedMembers.byDefault(module.object(), Set.of(method));
        kept.addAll(options.keptMethods());
        NativeOptions how = freeOptions(
                kept,
                method,
                true,
                options.cpuFallback() ? new WeightViews(module.object()) : UnaryOperator.identity());
        Divided divided = source.hasOpenSizes() ? dividedOpen(how) : divided(module.object(), how);
        NativePipeline made = divided.made();
        if (made.module() == null) {
            if (made.ran() && made.unpaid() && !made.refusals().isEmpty()) {
                notes.add("no part of the model is worth a start of NNAPI; " + EVERYTHING_PAYS);
            }
            return refused(
                    !made.refusals().isEmpty() ? made.refusals() : List.of(made.unpaid() ? NOTHING_PAYS : NO_PRODUCTS));
        }
        if (options.mode() == ConversionMode.FULL && divided.core() != null) {
            divided.core().bundle(MethodChoice.bundledInputs(made.module().type(), method), source.bundled());
        }
        said().segments(made.segments(), made.checked());
        List<LoweredModel> models = models(made);
        java.util.function.Function<String, ArchiveWriter> archive =
                archive(made.module(), models, inputs(made, divided.samples()));
        said().methods(module.object(), made.module(), Set.of(method));
        said().coverage(made);
        List<InputSpec> taken = options.mode() == ConversionMode.FULL && divided.core() != null
                ? divided.core().specs(specs)
                : specs;
        Refusal wrong = options.selfCheck() ? checked(models, archive, divided, kept) : null;
        return wrong != null
                ? refused(List.of(wrong))
                : new Conversion(
                        models,
                        archive,
                        LoweredModelReport.of(
                                models,
                                LoweredModelReport.texts(taken),
                                options.mode() == ConversionMode.CORE && divided.core() != null
                                        ? divided.core().outputs()
                                        : List.of(),
                                made.coverage(),
                                made.levels(),
                                notes,
                                made.refusals()),
                        made.whole());
    }

    /** What an NNAPI model tells that is all of the method is not told twice. */
    private ConvertedInputs inputs(NativePipeline made, List<?> samples) {
        ConvertedInputs inputs = new ConvertedInputs();
        boolean told = made.whole() != null
                && source.isPlain()
                && made.whole().inputs().size() == samples.size();
        return told ? inputs : inputs.add(method, samples);
    }

    static List<LoweredModel> models(NativePipeline made) {
        return made.segments().stream().map(LoweredSegment::model).collect(Streams.toList());
    }

    /** Of a converted module, whose NNAPI models these are; makes the archive of a top folder. */
    java.util.function.Function<String, ArchiveWriter> archive(
            ScriptObject converted, List<LoweredModel> models, ConvertedInputs inputs) {
        return folder -> {
            ArchiveWriter writer = new ModuleWriter(
                            converted,
                            (function, arguments) ->
                                    module.interpreter().run(function, Arrays.asList(arguments), Map.of()))
                    .debugInfo(false)
                    .archive(folder);
            module.source().extraFiles().forEach(writer::extra);
            inputs.write().forEach(writer::extra);
            if (options.lines()) {
                OperationLines.write(models).forEach(writer::extra);
            }
            return writer.source(ModuleEmitter.MARKER, "");
        };
    }

    /**
     * Checks the method of a converted module.
     *
     * @return why it is not to be written, or null
     */
    Refusal checked(
            List<LoweredModel> models,
            java.util.function.Function<String, ArchiveWriter> archive,
            Divided divided,
            Set<String> kept) {
        ConversionCheck check = check();
        Supplier<Graph> graph = () -> prepared(RetainedMembers.changing(module.object(), kept));
        NativeOptions how = freeOptions(kept, method, true, UnaryOperator.identity());
        QuantizedCore outside = options.mode() == ConversionMode.FULL ? divided.core() : null;
        if (divided.further() != null) {
            return check.run(models, archive, outside, isDynamic, divided.samples(), divided.further(), graph, how);
        }
        Refusal wrong = check.run(models, archive, outside, isDynamic);
        return wrong != null ? wrong : check.closer(graph, how);
    }

    private ConversionCheck check() {
        return new ConversionCheck(module, method, options, source, runtime, notes);
    }

    private Target target() {
        Target target = options.target() == null ? Target.DEFAULT : options.target();
        return options.exact() ? target.withExact(true) : target;
    }

    /**
     * @param name what the converted method is called
     * @param fallback whether its original stays beside it, if the options say so
     * @param weights gives the tensor to keep in the place of a weight
     */
    NativeOptions freeOptions(Set<String> kept, String name, boolean fallback, UnaryOperator<Tensor> weights) {
        return new NativeOptions(
                options.segmentCost(),
                target(),
                options.target() != null,
                options.preference().ordinal(),
                options.relaxed(),
                kept,
                fallback && options.cpuFallback(),
                name,
                IntStream.range(0, source.specs().size())
                        .filter(argument ->
                                source.isPlain() && source.specs().get(argument).channelsLast())
                        .boxed()
                        .collect(Collectors.toSet()),
                weights);
    }

    Conversion refused(List<Refusal> refusals) {
        return refused(refusals, notes);
    }

    static Conversion refused(List<Refusal> refusals, List<String> notes) {
        return new Conversion(List.of(), null, ConversionReport.refused(refusals, notes));
    }
}
