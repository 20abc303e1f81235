package org.torchnnapi.converter.model;

import java.util.List;
import org.torchnnapi.tensor.platform.Streams;

/**
 * A graph as NNAPI model.
 *
 * @param model operands, constants and operations
 * @param inputLayouts one per input
 * @param outputLayouts one per output of the NNAPI model
 * @param results what the original returns
 * @param returned where each tensor that the original returns comes from
 * @param outputSizes of each output of the NNAPI model, 0 where a size follows from open sizes of the inputs
 */
public record LoweredModel(
        ModelAssembler model,
        List<OperandLayout> inputLayouts,
        List<OperandLayout> outputLayouts,
        Results results,
        List<Returned> returned,
        List<int[]> outputSizes) {
    /** Shape of the original's return value. */
    public enum Results {
        TENSOR,
        TUPLE,
        LIST
    }

    /**
     * A tensor that the converted module returns. NNAPI takes no operand for an input and an output, and none twice:
     * what the original passes through is returned around the NNAPI model.
     *
     * @param isArgument whether it is an argument of the module, else an output of the NNAPI model
     * @param index number of the argument or of the output
     */
    public record Returned(boolean isArgument, int index) {}

    public LoweredModel {
        inputLayouts = List.copyOf(inputLayouts);
        outputLayouts = List.copyOf(outputLayouts);
        returned = List.copyOf(returned);
        outputSizes = outputSizes.stream().map(int[]::clone).collect(Streams.toList());
    }

    /** A model whose outputs have the sizes of its operands. */
    public LoweredModel(
            ModelAssembler model,
            List<OperandLayout> inputLayouts,
            List<OperandLayout> outputLayouts,
            Results results,
            List<Returned> returned) {
        this(
                model,
                inputLayouts,
                outputLayouts,
                results,
                returned,
                model.outputs().stream()
                        .map(output -> model.operand(output).shape())
                        .collect(Streams.toList()));
    }

    /** The same with other sizes of the outputs, 0 where they are open. */
    public LoweredModel withOutputSizes(List<int[]> sizes) {
        return new LoweredModel(model, inputLayouts, outputLayouts, results, returned, sizes);
    }

    /** Whether the original returns the NNAPI model's outputs, each once and in their order. */
    public boolean returnsOutputsOnly() {
        boolean plain = returned.size() == outputLayouts.size();
        for (int i = 0; plain && i < returned.size(); i++) {
            plain = !returned.get(i).isArgument() && returned.get(i).index() == i;
        }
        return plain;
    }
}
