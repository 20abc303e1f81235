package org.torchnnapi.nnapi.runtime;

import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Small models for tests. */
final class Models {
    private Models() {}

    /**
     * {@code softmax(x + 1)}, {@code length} times over, on {@code [1, size]}; a size of 0 is left to the execution.
     */
    static Model chain(int length, int size) {
        ModelBuilder builder = new ModelBuilder();
        int one = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        builder.setOperandValue(one, 1f);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int beta = builder.addOperand(OperandDescriptor.scalar(OperandType.FLOAT32));
        builder.setOperandValue(beta, 1f);
        int input = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, size));
        int last = input;
        for (int i = 0; i < length; i++) {
            int sum = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, size));
            int soft = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, size));
            builder.addOperation(OperationType.ADD, new int[] {last, one, none}, new int[] {sum});
            builder.addOperation(OperationType.SOFTMAX, new int[] {sum, beta}, new int[] {soft});
            last = soft;
        }
        builder.identifyInputsAndOutputs(new int[] {input}, new int[] {last});
        return builder.finish();
    }

    /** {@code x + x} on {@code [size]}. */
    static Model doubled(int size) {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, size));
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, size));
        builder.addOperation(OperationType.ADD, new int[] {x, x, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        return builder.finish();
    }
}
