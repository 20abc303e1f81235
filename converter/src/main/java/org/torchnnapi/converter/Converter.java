package org.torchnnapi.converter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.check.Quantize;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.check.Work;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.lower.GraphLowering;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.converter.lower.ModelAssembler;
import org.torchnnapi.converter.passes.Passes;
import org.torchnnapi.converter.report.ConversionReport;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.split.QuantizedCore;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ScriptModule;
import org.torchnnapi.torchscript.ScriptRuntime;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.source.SourceException;

/**
 * Converts a TorchScript module to one that runs on NNAPI, with the same arguments and results. The steps: freeze and
 * simplify the graph, cut off quantize steps if the mode says so, lower every node, put the file together, check it.
 */
public final class Converter {
    private static final String METHOD = "forward";
    /** Models up to this many multiplications are checked without being asked; the reference device does some in half a second. */
    private static final long MAX_CHECKED_WORK = 50_000_000;

    private final ScriptModule module;
    private final ConversionOptions options;
    private final ScriptRuntime runtime;
    private final InputSource source;
    private final List<String> notes = new ArrayList<>();

    private Converter(ScriptModule module, ConversionOptions options, ScriptRuntime runtime) {
        this.module = module;
        this.options = options;
        this.runtime = runtime;
        this.source = InputSource.of(module, options);
        notes.addAll(source.notes());
    }

    /**
     * @param module  the original; not changed
     * @param runtime what converted modules are loaded into for the self-check
     * @return a converted model, or every reason against one
     * @throws IllegalArgumentException if the module has no {@code forward}, or nothing describes its inputs
     */
    public static Conversion convert(ScriptModule module, ConversionOptions options, ScriptRuntime runtime) {
        return new Converter(module, options, runtime).run();
    }

    private Conversion run() {
        List<InputSpec> specs = source.specs();
        if (specs == null) {
            throw new IllegalArgumentException("inputs: not described (expected: shapes and dtypes, an example, or a model with bundled inputs)");
        }
        if (module.method(METHOD) == null) {
            throw new IllegalArgumentException("method: none called " + METHOD + " (expected: a module with one)");
        }
        if (ModuleEmitter.isConverted(module.archive())) {
            return refused(List.of(new Refusal("model", SourceRange.NONE, List.of(), "the model must be an ordinary one",
                "a model that was converted already", "no part that calls _nnapi.Compilation", "convert the file it was made of")));
        }
        Graph graph;
        try {
            graph = Passes.prepare(module.object(), METHOD);
        } catch (SourceException e) {
            return refused(List.of(new Refusal("model", new SourceRange(e.entry(), e.line()), List.of(),
                "the model's code must compile", e.found(), e.expected(), "save the model with PyTorch 1.13")));
        } catch (IllegalArgumentException e) {
            return refused(List.of(new Refusal("model", SourceRange.NONE, List.of(), "the model must fit into one graph",
                String.valueOf(e.getMessage()), "methods without recursion", "")));
        }
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
        ModuleEmitter emitter = emitter(outcome.model(), core);
        Refusal wrong = wantsCheck(outcome.model()) ? selfCheck(outcome.model(), emitter, specs, core) : null;
        if (wrong != null) {
            return refused(List.of(wrong));
        }
        return new Conversion(outcome.model(), emitter, report(outcome.model(), specs));
    }

    private Conversion refused(List<Refusal> refusals) {
        return new Conversion(null, null, ConversionReport.refused(refusals, notes));
    }

    private ModuleEmitter emitter(LoweredModel model, QuantizedCore core) {
        ModuleEmitter emitter = new ModuleEmitter(model).preference(options.preference().ordinal()).relaxed(options.relaxed())
            .extraFiles(module.archive().extraFiles());
        List<List<Tensor>> bundled = source.bundled();
        if (core != null && !core.isEmpty()) {
            if (options.mode() == ConversionMode.CORE) {
                emitter.quantizedShell(core.inputs().stream()
                    .map(step -> step == null ? null : new double[] {step.scale(), step.zeroPoint()}).toList(), core.outputs());
            } else {
                bundled = bundled.stream().map(arguments -> quantized(arguments, core)).toList();
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
            out.add(step == null || argument.dtype().isQuantized() ? argument : Quantize.toQuint8(argument, step.scale(), step.zeroPoint()));
        }
        return out;
    }

    private boolean wantsCheck(LoweredModel model) {
        if (options.selfCheck() != null) {
            return options.selfCheck();
        }
        boolean small = Work.multiplications(model) <= MAX_CHECKED_WORK;
        if (!small) {
            notes.add("no self-check: the model is large; ask for one to have it");
        }
        return small;
    }

    /** A refusal if the converted module returns something else than the original, or null. */
    private Refusal selfCheck(LoweredModel model, ModuleEmitter emitter, List<InputSpec> specs, QuantizedCore core) {
        List<Tensor> inputs = source.example() != null ? source.example() : ExampleInputs.random(source.specs());
        boolean quantizesOutside = core != null && options.mode() == ConversionMode.FULL;
        List<Tensor> convertedInputs = quantizesOutside ? quantized(inputs, core) : inputs;
        SelfCheck.Result result;
        try {
            byte[] file = new Conversion(model, emitter, null).toBytes();
            ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(file), runtime);
            boolean quantized = model.model().operands().stream().anyMatch(operand -> operand.isQuantized());
            result = SelfCheck.compare(module, METHOD, inputs, converted, convertedInputs, quantized, options.relaxed());
        } catch (RuntimeException e) {
            notes.add("self-check not possible: " + e.getMessage());
            return null;
        }
        if (result.agrees()) {
            notes.add("self-check passed: " + result.text());
            return null;
        }
        return new Refusal("model", SourceRange.NONE, specs.stream().map(InputSpec::toString).toList(),
            "the converted model must return what the original returns", result.text(), "equal results",
            "please report this model; the self-check can be turned off");
    }

    private ConversionReport report(LoweredModel lowered, List<InputSpec> specs) {
        ModelAssembler model = lowered.model();
        Map<String, Integer> operations = new LinkedHashMap<>();
        model.operations().forEach(operation -> operations.merge(operation.type().name(), 1, Integer::sum));
        long bytes = model.weights().stream().map(Tensor::storage).distinct().mapToLong(Converter::bytes).sum();
        return new ConversionReport(true, specs.stream().map(InputSpec::toString).toList(),
            model.outputs().stream().map(id -> model.operand(id).text()).toList(), operations, bytes, notes, List.of());
    }

    private static long bytes(Storage storage) {
        return (long) storage.length() * storage.dtype().bytes();
    }
}
