package org.torchnnapi.converter.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class SerializedModelEncoderTest {
    @Test
    void writesTheFormatWordByWord() {
        ModelAssembler model = new ModelAssembler();
        TensorOperand tensor =
                new TensorOperand(OperandType.TENSOR_FLOAT32, new int[] {2, 3}, OperandLayout.CONTIGUOUS, 0, 0);
        int in = model.add(tensor);
        int out = model.add(tensor);
        model.addInput(in);
        model.addOutput(out);
        model.operation(OperationType.RELU, out, in);
        LoweredModel lowered = new LoweredModel(
                model,
                List.of(OperandLayout.CONTIGUOUS),
                List.of(OperandLayout.CONTIGUOUS),
                LoweredModel.Results.TENSOR,
                List.of(new LoweredModel.Returned(false, 0)));
        int[] header = {1, 2, 0, 1, 1, 1};
        int[] operands = {3, 2, 0, 0, 3, 2, 0, 0};
        int[] operation = {19, 1, 1};
        int[] rest = {2, 3, 2, 3, 0, 1, 0, 1};
        int[] all = java.util.stream.Stream.of(header, operands, operation, rest)
                .flatMapToInt(java.util.Arrays::stream)
                .toArray();
        assertArrayEquals(all, SerializedModelEncoder.words(lowered));
    }
}
