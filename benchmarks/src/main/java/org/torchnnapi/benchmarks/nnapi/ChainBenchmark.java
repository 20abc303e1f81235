package org.torchnnapi.benchmarks.nnapi;

import org.openjdk.jmh.annotations.Benchmark;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Sums of four floats, one behind the other, in a burst. */
public abstract class ChainBenchmark extends ExecutionBenchmark {
    /** {@code x + 1}, {@code length} times over. */
    static Model chain(int length) {
        ModelBuilder builder = new ModelBuilder();
        OperandDescriptor vector = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, 4);
        int one = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        builder.setOperandValue(one, 1f);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int input = builder.addOperand(vector);
        int last = input;
        for (int i = 0; i < length; i++) {
            int sum = builder.addOperand(vector);
            builder.addOperation(OperationType.ADD, new int[] {last, one, none}, new int[] {sum});
            last = sum;
        }
        builder.identifyInputsAndOutputs(new int[] {input}, new int[] {last});
        return builder.finish();
    }

    @Benchmark
    public void burst() {
        execution.burstCompute(burst);
    }
}
