package org.torchnnapi.converter.lower;

import java.util.List;

/**
 * A graph as NNAPI model.
 *
 * @param model         operands, constants and operations
 * @param inputLayouts  one per input
 * @param outputLayouts one per output
 * @param results       what the original returns
 */
public record LoweredModel(ModelAssembler model, List<OperandLayout> inputLayouts, List<OperandLayout> outputLayouts, Results results) {
    /** Shape of the original's return value. */
    public enum Results { TENSOR, TUPLE, LIST }

    public LoweredModel {
        inputLayouts = List.copyOf(inputLayouts);
        outputLayouts = List.copyOf(outputLayouts);
    }
}
