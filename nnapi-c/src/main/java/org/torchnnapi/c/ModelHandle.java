package org.torchnnapi.c;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Device;

/** A model, being built or finished. Methods return codes; see the NDK's reference for each. */
final class ModelHandle extends Handle {
    /** Longer values stay where the caller has them, as the specification lets them. */
    private static final int COPIED_BYTES = 128;

    private final ModelBuilder builder = new ModelBuilder();
    /** By operand that an operation writes, the operation's number in the order they were added. */
    private final Map<Integer, Integer> writers = new HashMap<>();

    private int operations;
    /** Operands that are constants, inputs or outputs. */
    private final BitSet given = new BitSet();

    private final OperandNumbers numbers = new OperandNumbers(builder);
    private int[] inputs = new int[0];
    private Model model;
    private boolean invalid;

    private ModelHandle() {
        builder.leaveValuesToExecutions();
    }

    /** The finished model. */
    Model model() {
        if (model == null) {
            throw Answer.badState("model: not finished (expected: a model that finish accepted)");
        }
        return model;
    }

    /** An input as the caller has described it. */
    OperandDescriptor input(int position) {
        return numbers.descriptor(inputs[position]);
    }

    static long create() {
        try {
            return new ModelHandle().id;
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    static void free(long id) {
        ModelHandle handle = find(id, ModelHandle.class);
        if (handle != null) {
            handle.free();
        }
    }

    private static ModelHandle open(long id) {
        ModelHandle handle = get(id, ModelHandle.class);
        if (handle.model != null || handle.invalid) {
            throw Answer.badState(
                    "model: " + (handle.invalid ? "not valid" : "finished") + " (expected: before finish)");
        }
        return handle;
    }

    static int addOperand(long id, int type, int[] dimensions, float scale, int zeroPoint) {
        try {
            open(id).numbers.add(ExtensionCodes.operand(type, dimensions, scale, zeroPoint));
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setOperandSymmPerChannelQuantParams(long id, int index, int channelDim, float[] scales) {
        try {
            ModelHandle handle = open(id);
            handle.builder.setOperandSymmPerChannelQuantParams(
                    handle.numbers.of(index), new ChannelQuantization(channelDim, scales));
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setOperandValue(long id, int index, ByteBuffer value) {
        try {
            ModelHandle handle = open(id);
            int number = handle.numbers.of(index);
            if (value == null || value.capacity() <= COPIED_BYTES) {
                handle.builder.setOperandValue(number, value);
            } else {
                handle.builder.setOperandValueFromMemory(number, value, 0, value.capacity());
            }
            handle.given.set(index);
            handle.numbers.setConstant(index);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setOperandValueFromMemory(long id, int index, long memoryId, long offset, long length) {
        try {
            ModelHandle handle = open(id);
            MemoryHandle memory = get(memoryId, MemoryHandle.class);
            handle.builder.setOperandValueFromMemory(
                    handle.numbers.of(index), memory.constant(offset, length), 0, length);
            handle.given.set(index);
            handle.numbers.setConstant(index);
            handle.need(memory);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setOperandValueFromModel(long id, int index, long valueId) {
        try {
            ModelHandle handle = open(id);
            ModelHandle value = get(valueId, ModelHandle.class);
            handle.builder.setOperandValueFromModel(handle.numbers.of(index), value.model());
            handle.given.set(index);
            handle.need(value);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int addOperation(long id, int type, int[] inputs, int[] outputs) {
        try {
            ModelHandle handle = open(id);
            if (ExtensionCodes.isExtension(type)) {
                handle.builder.addOperation(
                        ExtensionCodes.of(type), handle.numbers.of(inputs), handle.numbers.of(outputs));
            } else {
                OperationType operation = OperationType.ofCode(type);
                handle.numbers.prepare(operation, inputs);
                handle.builder.addOperation(operation, handle.numbers.of(inputs), handle.numbers.of(outputs));
            }
            for (int output : outputs) {
                handle.writers.put(output, handle.operations);
            }
            handle.operations++;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int identifyInputsAndOutputs(long id, int[] inputs, int[] outputs) {
        try {
            ModelHandle handle = open(id);
            handle.builder.identifyInputsAndOutputs(handle.numbers.of(inputs), handle.numbers.of(outputs));
            handle.inputs = inputs;
            for (int input : inputs) {
                handle.given.set(input);
            }
            for (int output : outputs) {
                handle.given.set(output);
            }
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int relax(long id, boolean allow) {
        try {
            open(id).builder.relaxComputationFloat32toFloat16(allow);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int finish(long id) {
        try {
            ModelHandle handle = open(id);
            try {
                handle.requireNoneIdle();
                handle.model = handle.builder.finish();
            } catch (NnapiException e) {
                handle.invalid = true;
                // Also without inputs and outputs a model is not in a wrong state but bad.
                throw e.resultCode() == ResultCode.BAD_STATE ? Answer.bad(e.getMessage()) : e;
            }
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /**
     * An operand that nothing gives and nothing writes makes the whole model bad here, as on Android; the runtime
     * itself puts up with it.
     */
    private void requireNoneIdle() {
        for (int i = 0; i < numbers.count(); i++) {
            if (!given.get(i) && !writers.containsKey(i)) {
                throw Answer.bad(
                        "operand " + i + ": written by no operation (expected: an input, a constant, or one writer)");
            }
        }
    }

    /** How many operations were added, or a code made negative. */
    static int operationCount(long id) {
        try {
            ModelHandle handle = get(id, ModelHandle.class);
            handle.model();
            return handle.operations;
        } catch (Throwable e) {
            return -Answer.code(e);
        }
    }

    /** Says of each operation, in the order they were added, whether one of the devices takes it. */
    static int supported(long id, int[] devices, boolean[] answers) {
        try {
            ModelHandle handle = get(id, ModelHandle.class);
            Model model = handle.model();
            for (Device device : DeviceTable.get(devices)) {
                List<String> refusals = device.supportedOperations(model);
                for (int i = 0; i < refusals.size(); i++) {
                    int number = handle.writers.get(
                            handle.numbers.givenAs(model.operations().get(i).output(0)));
                    answers[number] |= refusals.get(i) == null;
                }
            }
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** The number of a type or operation of an extension, or a code made negative. */
    static long extensionCode(long id, String extension, int code) {
        try {
            get(id, ModelHandle.class);
            return ExtensionCodes.number(new ExtensionCode(extension, code));
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    /** @param data null for none */
    static int setOperandExtensionData(long id, int index, byte[] data) {
        try {
            ModelHandle handle = open(id);
            handle.builder.setOperandExtensionData(handle.numbers.of(index), data);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }
}
