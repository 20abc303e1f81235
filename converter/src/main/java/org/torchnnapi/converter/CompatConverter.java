package org.torchnnapi.converter;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.check.Work;
import org.torchnnapi.converter.compat.CompatGraphLowering;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.emit.OperationLines;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.partition.QuantizedCore;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.nnapi.model.LevelCheck;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Converts a model of which PyTorch's own converter would take every node, into the bytes that it would write. For one
 * conversion and one thread.
 */
final class CompatConverter {
    /** NNAPI's tensors have at most so many dimensions. */
    private static final int MAX_RANK = 4;

    private final ScriptModule module;
    private final ConversionOptions options;
    private final InputSource source;
    private final List<String> notes;

    /**
     * @param module the original
     * @param source its inputs
     * @param notes receives what is to be told
     */
    CompatConverter(ScriptModule module, ConversionOptions options, InputSource source, List<String> notes) {
        this.module = module;
        this.options = options;
        this.source = source;
        this.notes = notes;
    }

    /**
     * Converts.
     *
     * @param graph of the method, prepared; changed
     * @param outer its inputs; sizes may be left open
     * @param check of what is made
     * @param dynamic whether the original quantizes the inputs of some layers as it goes
     */
    Conversion convert(Graph graph, List<InputSpec> outer, ConversionCheck check, boolean dynamic) {
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
        CompatGraphLowering.Outcome outcome =
                CompatGraphLowering.lower(graph, specs, options.int16(), options.returnShapes());
        if (outcome.model() == null) {
            return Converter.refused(outcome.refusals(), notes);
        }
        Refusal illegal = legality(outcome.model());
        if (illegal != null) {
            return Converter.refused(List.of(illegal), notes);
        }
        if (options.returnShapes() == null && hasResultsWithoutRoom(outcome.model())) {
            notes.add("for this library: PyTorch has no room for results of open sizes unless they are given (option "
                    + "return-shape), and does not run the file");
        }
        ModuleEmitter emitter = emitter(outcome.model(), core);
        List<LoweredModel> models = List.of(outcome.model());
        Refusal wrong = options.selfCheck() ? check.whole(models, emitter::archive, core, dynamic) : null;
        if (wrong != null) {
            return Converter.refused(List.of(wrong), notes);
        }
        return new Conversion(
                models,
                true,
                emitter::archive,
                LoweredModelReport.of(
                        models,
                        LoweredModelReport.texts(specs),
                        coverage(graph, outcome.model()),
                        List.of(),
                        notes,
                        List.of()));
    }

    /**
     * PyTorch allocates results whose sizes its converter leaves to each run without elements, and NNAPI, which is to
     * fill them, fails.
     */
    static boolean hasResultsWithoutRoom(LoweredModel model) {
        return model.model().outputs().stream()
                .anyMatch(id -> Arrays.stream(model.model().operand(id).shape())
                        .anyMatch(size -> size == TensorOperand.AT_RUN));
    }

    /** A refusal if NNAPI does not take the model, or null. */
    private Refusal legality(LoweredModel model) {
        for (ModelAssembler.AssembledOperation operation : model.model().operations()) {
            // The runtime folds the dimensions of what is only reshaped.
            boolean folds = operation.type() == OperationType.RESHAPE
                    && model.model().operand(operation.outputs()[0]).rank() <= MAX_RANK;
            for (int id : operation.inputs()) {
                TensorOperand operand = model.model().operand(id);
                if (operand.rank() > MAX_RANK && !folds) {
                    return new Refusal(
                            "model",
                            SourceRange.NONE,
                            List.of(),
                            "NNAPI's tensors have few dimensions",
                            operand.text(),
                            "at most " + MAX_RANK,
                            "");
                }
            }
        }
        try {
            int[] words = SerializedModelEncoder.encode(model).words();
            Model legal = NnapiPart.requireLegal(
                    Tensor.of(words, words.length),
                    model.model().weights().stream().map(Tensor::arranged).collect(Streams.toList()));
            LevelCheck level = options.target() == null
                    ? null
                    : LevelCheck.of(legal, options.target().level());
            return level == null || level.passes()
                    ? null
                    : new Refusal(
                            "model",
                            SourceRange.NONE,
                            List.of(),
                            "the operations must be those of the Android that is converted for",
                            level.text(),
                            Target.text(level.level()),
                            "quantized cores, int16 and given shapes of results are converted as PyTorch does: for "
                                    + "Android 10 or later");
        } catch (NnapiException e) {
            return new Refusal(
                    "model",
                    SourceRange.NONE,
                    List.of(),
                    "NNAPI must take the converted model",
                    e.getMessage(),
                    "a legal NNAPI model",
                    "");
        }
    }

    private Map<String, ByteBuffer> extraFiles(LoweredModel model) {
        Map<String, ByteBuffer> files = new LinkedHashMap<>(module.source().extraFiles());
        if (options.lines()) {
            files.putAll(OperationLines.write(List.of(model)));
        }
        return files;
    }

    private ModuleEmitter emitter(LoweredModel model, QuantizedCore core) {
        ModuleEmitter emitter = new ModuleEmitter(model)
                .preference(options.preference().ordinal())
                .relaxed(options.relaxed())
                .extraFiles(extraFiles(model));
        List<List<Tensor>> bundled = source.bundledTensors();
        if (core != null && !core.isEmpty()) {
            if (options.mode() == ConversionMode.CORE) {
                emitter.quantizedShell(
                        core.inputs().stream()
                                .map(step -> step == null ? null : new double[] {step.scale(), step.zeroPoint()})
                                .collect(Streams.toList()),
                        core.outputs());
            } else {
                bundled = bundled.stream().map(core::quantized).collect(Streams.toList());
            }
        }
        if (!bundled.isEmpty() && bundled.get(0).size() == model.inputLayouts().size()) {
            emitter.bundledInputs(bundled);
        }
        return emitter;
    }

    private static Coverage coverage(Graph graph, LoweredModel model) {
        int operators = (int) graph.block().nodes().stream()
                .filter(node -> !node.kind().startsWith("prim::"))
                .count();
        long products = Work.multiplications(model);
        return new Coverage(1, operators, operators, products, products, 0);
    }
}
