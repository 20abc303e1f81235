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
import org.torchnnapi.converter.partition.ConversionPipeline;
import org.torchnnapi.converter.partition.ConversionState;
import org.torchnnapi.converter.partition.ConvertedMethod;
import org.torchnnapi.converter.partition.DynamicShapeConversion;
import org.torchnnapi.converter.partition.LoweredSegment;
import org.torchnnapi.converter.partition.NativeOptions;
import org.torchnnapi.converter.partition.PassResult;
import org.torchnnapi.converter.partition.QuantizedCore;
import org.torchnnapi.converter.partition.RetainedMembers;
import org.torchnnapi.converter.report.ConversionReport;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.Deadline;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
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
    static final Refusal CONVERTED = Refusal.ofModel(
            "the model must be an ordinary one",
            "a model that was converted already",
            "no part that calls _nnapi.Compilation",
            "convert the file it was made of");
    static final Refusal OPEN_SHAPES = Refusal.ofModel(
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

    static final Refusal NOTHING_PAYS =
            Refusal.ofModel(PAYS, "no part that pays", "a part that NNAPI computes faster", EVERYTHING_PAYS);

    /** Where numbers among the arguments are those of the example. */
    private static final ConversionPipeline HOLDING = ConversionPipeline.PREPARE.without(PassResult.CORE);

    private final ScriptModule module;
    private final ConversionOptions options;
    private final ScriptRuntime runtime;
    private final String method;
    private final InputSource source;
    private final List<String> notes = new ArrayList<>();
    /** An example whose numbers are those of every run; null where they may differ. */
    private List<?> held;

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

    /** Whether the mode takes quantize steps off the ends. */
    private boolean cuts() {
        return options.mode() == ConversionMode.CORE || options.mode() == ConversionMode.FULL;
    }

    /**
     * The method as one graph.
     *
     * @param passes that make it
     * @param object the module, or what came of it when other methods were converted
     * @param samples arguments to convert for; null where there are none yet
     */
    private ConversionState prepared(
            ConversionPipeline passes, ScriptObject object, List<?> samples, NativeOptions how) {
        try {
            ConversionState state = passes.run(new ConversionState(object, method, samples, how, runtime));
            if (!isDynamic && quantizesAsItGoes(state.get(PassResult.GRAPH).block())) {
                isDynamic = true;
                notes.add("dynamically quantized layers multiply real numbers: NNAPI has no quantization by what comes "
                        + "in");
            }
            return state;
        } catch (IllegalArgumentException e) {
            throw new Unfit(e);
        }
    }

    /** The same for numbers of any value, its ends cut as the mode says. */
    private ConversionState prepared(ScriptObject object, List<?> samples, NativeOptions how) {
        ConversionPipeline passes = ConversionPipeline.PREPARE.without(PassResult.HELD);
        ConversionState state = prepared(cuts() ? passes : passes.without(PassResult.CORE), object, samples, how);
        if (cuts() && state.get(PassResult.CORE) == null && !notes.contains(NO_STEPS)) {
            notes.add(NO_STEPS);
        }
        return state;
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
     * @param notes on how it was made
     */
    record Divided(
            ConvertedMethod made,
            List<?> samples,
            QuantizedCore core,
            List<List<Tensor>> further,
            List<String> notes) {}

    /**
     * Divides the model by an example, or by the first kind of made inputs on which it runs.
     *
     * @param object the module, or what came of it when other methods were converted
     */
    Divided divided(ScriptObject object, NativeOptions how) {
        boolean open = source.hasOpenSizes();
        // Real numbers are the same in each kind.
        boolean alike = source.specs().stream().allMatch(spec -> spec.dtype().isFloating());
        Divided first = null;
        for (ExampleInputs.Kind kind : ExampleInputs.Kind.values()) {
            // Models of open sizes are always in the form that PyTorch's loader takes too.
            Divided divided = open ? open(kind, how.forPyTorchsLoader()) : fixed(object, kind, how);
            if (source.example() != null || alike || divided.made.ran() && (!open || runs(divided))) {
                notes.addAll(divided.notes);
                return divided;
            }
            first = first == null ? divided : first;
        }
        return first;
    }

    private Divided fixed(ScriptObject object, ExampleInputs.Kind kind, NativeOptions how) {
        List<?> samples = source.example() != null ? source.example() : ExampleInputs.of(source.specs(), kind);
        ConversionState state = prepared(object, samples, how);
        if (kind == ExampleInputs.Kind.values()[0]) {
            said().channelScales(state.get(PassResult.GRAPH));
        }
        QuantizedCore core = state.get(PassResult.CORE);
        Divided any =
                new Divided(ConversionPipeline.convert(state), state.get(PassResult.SAMPLES), core, null, List.of());
        boolean holds = core == null && any.made.module() == null && any.made.ran();
        return holds ? holding(object, samples, how, any) : around(core, how, any);
    }

    /** Where nothing converts for any numbers, what converts for those of the example, or else what there was. */
    private Divided holding(ScriptObject object, List<?> samples, NativeOptions how, Divided any) {
        ConversionState state = prepared(HOLDING, object, samples, how);
        List<String> fixed = state.get(PassResult.HELD);
        ConvertedMethod made = fixed.isEmpty() ? any.made : ConversionPipeline.convert(state);
        if (made.module() == null) {
            return any;
        }
        held = samples;
        String note = "converted for " + String.join(", ", fixed)
                + ", as in the example: for other numbers, which the file refuses, nothing of it would pay on NNAPI";
        return new Divided(made, samples, null, null, List.of(note));
    }

    /** The same for sizes that are left open. */
    private Divided open(ExampleInputs.Kind kind, NativeOptions how) {
        ConversionState state = prepared(module.object(), source.example(), how);
        QuantizedCore core = state.get(PassResult.CORE);
        DynamicShapeConversion made =
                DynamicShapeConversion.convert(state, core == null ? source.specs() : core.specs(source.specs()), kind);
        return around(core, how, new Divided(made.made(), made.samples(), core, made.further(), made.notes()));
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
                                .collect(Streams.toList()),
                inner.notes);
    }

    /**
     * Whether the original takes made inputs, whose numbers may lie outside of its tables; without a self-check that
     * does not matter.
     */
    private boolean runs(Divided divided) {
        boolean cut = options.mode() == ConversionMode.FULL && divided.core != null;
        try {
            if (options.selfCheck()) {
                SelfCheck.runOriginal(module, method, cut ? divided.core.real(divided.samples) : divided.samples);
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
        Divided divided = divided(module.object(), how);
        ConvertedMethod made = divided.made();
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
    private ConvertedInputs inputs(ConvertedMethod made, List<?> samples) {
        ConvertedInputs inputs = new ConvertedInputs();
        boolean told = made.whole() != null
                && source.isPlain()
                && made.whole().inputs().size() == samples.size();
        return told ? inputs : inputs.add(method, samples);
    }

    static List<LoweredModel> models(ConvertedMethod made) {
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
        NativeOptions how = freeOptions(kept, method, true, UnaryOperator.identity());
        ConversionPipeline passes = held == null ? HOLDING.without(PassResult.HELD) : HOLDING;
        Supplier<Graph> graph =
                () -> prepared(passes, module.object(), held, how).get(PassResult.GRAPH);
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
