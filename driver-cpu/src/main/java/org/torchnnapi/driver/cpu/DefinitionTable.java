package org.torchnnapi.driver.cpu;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.torchnnapi.nnapi.driver.Evaluation;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.program.op.TableOp;

/**
 * Tables of what the definition of an operation gives for every byte, or every pair of bytes. An element-wise operation
 * that looks its results up in one agrees with the definition to the bit, whatever the operation.
 */
final class DefinitionTable {
    private static final int BYTES = 256;

    private DefinitionTable() {}

    /** A function of one tensor of bytes as a table. */
    static TableOp lookUp(OperationView site) {
        return new TableOp(unary(site), site.outQuantization());
    }

    /** The result by the unsigned value of the input byte. */
    private static byte[] unary(OperationView site) {
        return evaluate(site, new int[][] {{1, BYTES}}, 1, BYTES);
    }

    /** The result by 256 times the unsigned value of the first byte plus that of the second. */
    static byte[] binary(OperationView site) {
        return evaluate(site, new int[][] {{BYTES, 1}, {1, BYTES}}, BYTES, BYTES);
    }

    /** Whether an operation on two tensors of bytes is a function of the first, as the second is one constant byte. */
    static boolean isUnary(OperationView site) {
        return site.in(0).type().isQuantized()
                && isNumber(site, 1)
                && Arrays.equals(site.in(0).dimensions(), site.out().dimensions());
    }

    private static boolean isNumber(OperationView site, int input) {
        return site.isConstant(input)
                && site.in(input).rank() > 0
                && site.in(input).elementCount() == 1;
    }

    /**
     * For one tensor of a concatenation the result in the output's scale and zero point, by the unsigned value of the
     * byte.
     */
    static byte[] requantized(OperationView site, int input) {
        ModelBuilder builder = new ModelBuilder();
        int tensor = builder.addOperand(site.in(input).withDimensions(BYTES));
        int axis = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(axis, 0);
        int output = builder.addOperand(site.out().withDimensions(BYTES));
        builder.addOperation(OperationType.CONCATENATION, new int[] {tensor, axis}, new int[] {output});
        builder.identifyInputsAndOutputs(new int[] {tensor}, new int[] {output});
        return execute(builder.finish(), BYTES);
    }

    private static byte[] evaluate(OperationView site, int[][] shapes, int... outShape) {
        ModelBuilder builder = new ModelBuilder();
        int[] inputs = new int[site.inputs()];
        int[] variables = new int[shapes.length];
        for (int i = 0; i < inputs.length; i++) {
            OperandDescriptor descriptor = site.in(i);
            inputs[i] = builder.addOperand(
                    i < shapes.length
                            ? descriptor.withDimensions(shapes[i])
                            : isNumber(site, i) ? descriptor.withDimensions(1) : descriptor);
            if (i < shapes.length) {
                variables[i] = inputs[i];
            } else {
                builder.setOperandValue(inputs[i], site.operand(i).value());
            }
        }
        int[] output = {builder.addOperand(site.out().withDimensions(outShape))};
        builder.addOperation(site.operation().type(), inputs, output);
        builder.identifyInputsAndOutputs(variables, output);
        return execute(builder.finish(), outShape[0] * outShape[1]);
    }

    /** What the definition gives when every input is all bytes in order. */
    private static byte[] execute(Model model, int results) {
        ByteBuffer all = ByteBuffer.allocate(BYTES);
        for (int i = 0; i < BYTES; i++) {
            all.put(i, (byte) i);
        }
        byte[] table = new byte[results];
        ExecutionRequest request = new ExecutionRequest(model);
        for (int i = 0; i < model.inputCount(); i++) {
            request.setInput(i, all);
        }
        request.setOutput(0, ByteBuffer.wrap(table));
        Evaluation.compute(model, request);
        return table;
    }
}
