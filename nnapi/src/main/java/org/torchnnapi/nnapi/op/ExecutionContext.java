package org.torchnnapi.nnapi.op;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * The operands of one operation as {@link OperationDefinition#execute} sees them: all inputs known, outputs to be
 * written.
 */
public final class ExecutionContext extends OperationContext {
    private Runnable check = () -> {};

    public ExecutionContext(OperationType operation, OperandValue[] inputs, OperandValue[] outputs) {
        super(operation, inputs, outputs);
    }

    /** Sets what {@link #checkpoint} asks. */
    public void onCheckpoint(Runnable newCheck) {
        check = newCheck;
    }

    /**
     * Lets a kernel whose loops are as long as an operand's value says end in time.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException if the execution is past its deadline or cancelled
     */
    public void checkpoint() {
        check.run();
    }

    /** The shape of an output; not to be changed. */
    public int[] outDims(int output) {
        return outputs[output].dimensions();
    }

    public int outDim(int output, int axis) {
        return outputs[output].dimensions()[axis];
    }

    /** Number of elements of an output. */
    public int outCount(int output) {
        return outputs[output].count();
    }

    /** Elements of an output as real numbers (float32, float16, quantized). */
    public FloatView outFloats(int output) {
        return outputs[output].floats();
    }

    /** Elements of an output as stored integers (INT32, BOOL8, quantized; raw bits of floats). */
    public IntView outInts(int output) {
        return outputs[output].ints();
    }

    /** Copies an input's elements to an output of the same type and count. */
    public void copy(int input, int output) {
        OperandBuffers.copy(inputs[input].data(), outputs[output].data(), outputs[output].count());
    }

    /** What runs the model that SUBGRAPH input {@code input} stands for. */
    SubgraphRunner subgraph(int input) {
        return inputs[input].subgraph();
    }

    /** The inputs from {@code from} to the last. */
    OperandValue[] inputsFrom(int from) {
        return Arrays.copyOfRange(inputs, from, inputs.length);
    }

    OperandValue output(int output) {
        return outputs[output];
    }
}
