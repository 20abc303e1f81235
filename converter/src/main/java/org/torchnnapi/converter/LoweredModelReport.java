package org.torchnnapi.converter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.ConversionReport;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.LevelCoverage;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.nnapi.model.FeatureLevelNeed;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;

/** The report on NNAPI models that a conversion made. */
final class LoweredModelReport {
    private LoweredModelReport() {}

    /** @param dequantized by output of a model that is all of the method, whether the module makes it real behind it */
    static ConversionReport of(
            List<LoweredModel> models,
            List<String> inputs,
            List<Boolean> dequantized,
            Coverage coverage,
            List<LevelCoverage> levels,
            List<String> notes,
            List<Refusal> refusals) {
        FeatureLevelNeed need = FeatureLevelNeed.NONE;
        Map<String, Integer> operations = new LinkedHashMap<>();
        List<String> outputs = new ArrayList<>();
        long bytes = 0;
        for (LoweredModel lowered : models) {
            ModelAssembler model = lowered.model();
            model.operations()
                    .forEach(operation -> operations.merge(operation.type().name(), 1, Integer::sum));
            int[] words = SerializedModelEncoder.words(lowered);
            need = need.and(NnapiPart.requireLegal(
                            Tensor.of(words, words.length),
                            model.weights().stream().map(Tensor::arranged).collect(Streams.toList()))
                    .featureLevelNeed());
            bytes += model.weights().stream()
                    .map(Tensor::storage)
                    .distinct()
                    .mapToLong(LoweredModelReport::bytes)
                    .sum();
            for (int i = 0; i < model.outputs().size(); i++) {
                TensorOperand output = asPyTorchHasIt(
                        model.operand(model.outputs().get(i))
                                .withShape(lowered.outputSizes().get(i)),
                        lowered.outputLayouts().get(i));
                boolean real = models.size() == 1 && i < dequantized.size() && dequantized.get(i);
                outputs.add((real ? output.withType(OperandType.TENSOR_FLOAT32, 0, 0) : output).text());
            }
        }
        return new ConversionReport(true, inputs, outputs, operations, bytes, coverage, need, levels, notes, refusals);
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
