package org.torchnnapi.nnapi.model;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Builds a {@link Model} with the calls of the specification, each checking what can be checked at that stage; a call
 * that throws leaves the builder as it was. Not thread-safe.
 */
public final class ModelBuilder {
    private final List<OperandDescriptor> descriptors = new ArrayList<>();
    private final List<Lifetime> lifetimes = new ArrayList<>();
    private final List<ByteBuffer> values = new ArrayList<>();
    private final List<Model> referenced = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private int[] inputs;
    private int[] outputs;
    private boolean relaxed;
    private boolean leavesValues;
    private boolean finished;

    public ModelBuilder() {}

    /**
     * Leaves it to executions to check the values of constants, such as the code of an activation, as Android does;
     * otherwise those that no execution would take are refused where the operation is added. To be called before the
     * first operation.
     */
    public void leaveValuesToExecutions() {
        requireOpen("leaveValuesToExecutions");
        leavesValues = true;
    }

    /**
     * Adds an operand.
     *
     * @return its index
     * @throws NnapiException BAD_DATA if type, dimensions, scale and zero point do not go together
     */
    public int addOperand(OperandDescriptor descriptor) {
        requireOpen("addOperand");
        OperandRules.checkDescriptor(descriptor, descriptors.size());
        descriptors.add(descriptor);
        lifetimes.add(Lifetime.TEMPORARY_VARIABLE);
        values.add(null);
        referenced.add(null);
        return descriptors.size() - 1;
    }

    /**
     * Gives the per-channel scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand.
     *
     * @throws NnapiException BAD_DATA if the operand has another type, or count and dimension disagree
     */
    public void setOperandSymmPerChannelQuantParams(int index, ChannelQuantization channels) {
        requireOpen("setOperandSymmPerChannelQuantParams");
        OperandDescriptor descriptor = descriptors.get(requireIndex(index));
        OperandRules.checkChannels(descriptor, channels, index);
        descriptors.set(index, descriptor.withChannelQuantization(channels));
    }

    /**
     * Gives an operand of an extension's type data that the extension defines, which devices are shown with the
     * operand.
     *
     * @param data copied; null for none, also where there were some
     * @throws NnapiException BAD_DATA if the operand has no type of an extension
     */
    public void setOperandExtensionData(int index, byte[] data) {
        requireOpen("setOperandExtensionData");
        OperandDescriptor descriptor = descriptors.get(requireIndex(index));
        if (descriptor.extension() == null) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "operand " + index + ": " + descriptor + " (expected: a type of an extension)");
        }
        descriptors.set(index, descriptor.withExtensionData(data));
    }

    /**
     * Makes an operand constant, copying the bytes between position and limit; null marks an omitted optional operand.
     *
     * @param value raw bytes, little-endian
     * @throws NnapiException BAD_DATA on a wrong length or an operand that already has a role
     */
    public void setOperandValue(int index, ByteBuffer value) {
        if (value == null) {
            setConstant(index, Lifetime.NO_VALUE, null, "setOperandValue");
            return;
        }
        ByteBuffer source = value.duplicate();
        checkConstant(index, source.remaining(), "setOperandValue");
        ByteBuffer copy = ByteBuffer.allocate(source.remaining()).put(source);
        ((Buffer) copy).flip();
        setConstant(index, Lifetime.CONSTANT_COPY, copy, "setOperandValue");
    }

    /** Makes an INT32 or UINT32 scalar, or a TENSOR_INT32, constant. */
    public void setOperandValue(int index, int... value) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * value.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(value);
        setOperandValue(index, bytes);
    }

    /** Makes a FLOAT32 scalar or a TENSOR_FLOAT32 constant. */
    public void setOperandValue(int index, float... value) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * value.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(value);
        setOperandValue(index, bytes);
    }

    /** Makes a BOOL scalar constant. */
    public void setOperandValue(int index, boolean value) {
        setOperandValue(index, ByteBuffer.wrap(new byte[] {(byte) (value ? 1 : 0)}));
    }

    /**
     * Makes an operand constant without copying: the caller leaves the memory unchanged for as long as the model is
     * used.
     *
     * @param memory its bytes from index 0 on are the memory, whatever its position
     * @param offset of the value in bytes
     * @param length of the value in bytes
     * @throws NnapiException BAD_DATA on a wrong length, a range outside the memory, or an operand that already has a
     *     role
     */
    public void setOperandValueFromMemory(int index, ByteBuffer memory, long offset, long length) {
        if (memory == null) {
            throw new NnapiException(ResultCode.UNEXPECTED_NULL, "setOperandValueFromMemory: memory: null");
        }
        checkConstant(index, length, "setOperandValueFromMemory");
        if (offset < 0 || length < 0 || offset > memory.capacity() - length) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "operand " + index + ": bytes " + offset + " to " + (offset + length) + " of a memory of "
                            + memory.capacity() + " (expected: within the memory)");
        }
        ByteBuffer region = Buffers.slice(Buffers.whole(memory), (int) offset, (int) length);
        setConstant(index, Lifetime.CONSTANT_REFERENCE, region, "setOperandValueFromMemory");
    }

    /**
     * Lets a SUBGRAPH operand stand for a finished model.
     *
     * @throws NnapiException BAD_DATA if the operand has another type or already a model
     */
    public void setOperandValueFromModel(int index, Model model) {
        requireOpen("setOperandValueFromModel");
        OperandType type = descriptors.get(requireIndex(index)).type();
        if (model == null) {
            throw new NnapiException(ResultCode.UNEXPECTED_NULL, "setOperandValueFromModel: model: null");
        }
        if (type != OperandType.SUBGRAPH) {
            throw new NnapiException(ResultCode.BAD_DATA, "operand " + index + ": " + type + " (expected: SUBGRAPH)");
        }
        requireFree(index);
        lifetimes.set(index, Lifetime.SUBGRAPH);
        referenced.set(index, model);
    }

    /**
     * Adds an operation; operations may come in any order that has no cycle.
     *
     * @throws NnapiException BAD_DATA if an index is out of range, or the operation does not take what is known of
     *     these operands by now
     */
    public void addOperation(OperationType type, int[] operationInputs, int[] operationOutputs) {
        addOperation(type, null, operationInputs, operationOutputs);
    }

    /**
     * Adds an operation of an extension. What it takes, its devices alone know: each says so when the model is
     * compiled.
     *
     * @throws NnapiException BAD_DATA if an index is out of range
     */
    public void addOperation(ExtensionCode extension, int[] operationInputs, int[] operationOutputs) {
        addOperation(OperationType.EXTENSION, extension, operationInputs, operationOutputs);
    }

    private void addOperation(
            OperationType type, ExtensionCode extension, int[] operationInputs, int[] operationOutputs) {
        requireOpen("addOperation");
        if (type == null || operationInputs == null || operationOutputs == null) {
            throw new NnapiException(
                    ResultCode.UNEXPECTED_NULL, "addOperation: type, inputs and outputs (expected: not null)");
        }
        for (int index : operationInputs) {
            requireIndex(index);
        }
        for (int index : operationOutputs) {
            requireIndex(index);
        }
        Operation operation = new Operation(type, operationInputs, operationOutputs, extension);
        ModelValidator.checkUnfinished(
                operation, operations.size(), descriptors, lifetimes, values, referenced, leavesValues);
        operations.add(operation);
    }

    /**
     * Names the operands the caller gives and receives at each execution.
     *
     * @throws NnapiException BAD_DATA if an operand is constant, or named twice; BAD_STATE if called twice
     */
    public void identifyInputsAndOutputs(int[] modelInputs, int[] modelOutputs) {
        requireOpen("identifyInputsAndOutputs");
        if (modelInputs == null || modelOutputs == null) {
            throw new NnapiException(
                    ResultCode.UNEXPECTED_NULL, "identifyInputsAndOutputs: lists (expected: not null)");
        }
        if (inputs != null) {
            throw new NnapiException(ResultCode.BAD_STATE, "identifyInputsAndOutputs: called twice (expected: once)");
        }
        boolean[] named = new boolean[descriptors.size()];
        for (int[] list : new int[][] {modelInputs, modelOutputs}) {
            for (int index : list) {
                requireIndex(index);
                requireFree(index);
                if (descriptors.get(index).type() == OperandType.SUBGRAPH) {
                    throw new NnapiException(
                            ResultCode.BAD_DATA,
                            "operand " + index + ": SUBGRAPH (expected: no model among inputs and outputs)");
                }
                if (named[index]) {
                    throw new NnapiException(
                            ResultCode.BAD_DATA,
                            "operand " + index + ": named twice (expected: once among inputs and outputs)");
                }
                named[index] = true;
            }
        }
        for (int index : modelInputs) {
            lifetimes.set(index, Lifetime.SUBGRAPH_INPUT);
        }
        for (int index : modelOutputs) {
            lifetimes.set(index, Lifetime.SUBGRAPH_OUTPUT);
        }
        inputs = modelInputs.clone();
        outputs = modelOutputs.clone();
    }

    /** Lets float32 be computed with the range and precision of float16; referenced models follow the main model. */
    public void relaxComputationFloat32toFloat16(boolean allow) {
        requireOpen("relaxComputationFloat32toFloat16");
        relaxed = allow;
    }

    /**
     * Checks the whole and ends building.
     *
     * @throws NnapiException BAD_DATA naming the operation, operand, value and rule; BAD_STATE without inputs and
     *     outputs, or if finished
     */
    public Model finish() {
        requireOpen("finish");
        if (inputs == null) {
            throw new NnapiException(
                    ResultCode.BAD_STATE,
                    "finish: inputs and outputs not identified (expected: identifyInputsAndOutputs first)");
        }
        List<Operand> operands = new ArrayList<>(descriptors.size());
        for (int i = 0; i < descriptors.size(); i++) {
            operands.add(new Operand(descriptors.get(i), lifetimes.get(i), values.get(i), referenced.get(i)));
        }
        Model model = ModelValidator.validate(operands, operations, inputs, outputs, relaxed, leavesValues);
        finished = true;
        return model;
    }

    private void checkConstant(int index, long length, String call) {
        requireOpen(call);
        OperandDescriptor descriptor = descriptors.get(requireIndex(index));
        requireFree(index);
        OperandRules.checkConstantLength(descriptor, length, index);
    }

    private void setConstant(int index, Lifetime lifetime, ByteBuffer value, String call) {
        requireOpen(call);
        requireIndex(index);
        requireFree(index);
        lifetimes.set(index, lifetime);
        values.set(index, value);
    }

    private void requireOpen(String call) {
        if (finished) {
            throw new NnapiException(ResultCode.BAD_STATE, call + ": the model is finished (expected: before finish)");
        }
    }

    private int requireIndex(int index) {
        if (index < 0 || index >= descriptors.size()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "operand index: " + index + " (expected: 0 to " + (descriptors.size() - 1) + ")");
        }
        return index;
    }

    private void requireFree(int index) {
        Lifetime lifetime = lifetimes.get(index);
        if (lifetime != Lifetime.TEMPORARY_VARIABLE) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "operand " + index + ": already " + lifetime + " (expected: no role yet)");
        }
    }
}
