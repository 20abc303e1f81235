package org.torchnnapi.driver.android;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.ExtensionOperand;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tensor.platform.Reachability;

/**
 * A model as the system's runtime has it, with the memory that it refers to. Made by one thread; closed once nothing of
 * it is in use.
 */
final class SystemModel implements AutoCloseable {
    /** The bytes of ANeuralNetworksOperandType: type, count and address of the dimensions, scale, zero point. */
    private static final int COUNT = 4;

    private static final int DIMENSIONS = 8;
    private static final int SCALE = DIMENSIONS + ForeignMemory.WORD;
    private static final int ZERO_POINT = SCALE + Float.BYTES;
    private static final int TYPE_BYTES = ZERO_POINT + Integer.BYTES;

    private final SystemLibrary system;
    private final long handle;
    /** Constants lie where they are put until the model is closed. */
    private final List<Object> kept = new ArrayList<>();

    private final List<SystemModel> referenced = new ArrayList<>();

    private SystemModel(SystemLibrary system) {
        this.system = system;
        handle = system.made("Model_create");
    }

    /**
     * Builds a model.
     *
     * @param wanted the operations to build, by number; what others write is then an input
     * @throws org.torchnnapi.nnapi.model.NnapiException what the system says to it
     */
    static SystemModel of(SystemLibrary system, Model model, IntPredicate wanted) {
        SystemModel made = new SystemModel(system);
        try {
            made.build(model, wanted);
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    long handle() {
        return handle;
    }

    private void build(Model model, IntPredicate wanted) {
        List<Operand> operands = model.operands();
        for (int i = 0; i < operands.size(); i++) {
            add(i, operands.get(i));
        }
        boolean[] written = new boolean[operands.size()];
        boolean all = true;
        for (int i = 0; i < model.operations().size(); i++) {
            if (wanted.test(i)) {
                Operation operation = model.operations().get(i);
                ForeignMemory inputs = ForeignMemory.of(operation.inputs());
                ForeignMemory outputs = ForeignMemory.of(operation.outputs());
                system.must(
                        "Model_addOperation",
                        handle,
                        number(operation),
                        operation.inputCount(),
                        inputs.address(),
                        operation.outputCount(),
                        outputs.address());
                Reachability.fence(inputs);
                Reachability.fence(outputs);
                for (int output : operation.outputs()) {
                    written[output] = true;
                }
            } else {
                all = false;
            }
        }
        identify(
                all ? model.inputs() : readFromOutside(model, wanted, written),
                all ? model.outputs() : numbers(written));
        if (model.isRelaxed() && system.has("Model_relaxComputationFloat32toFloat16")) {
            system.must("Model_relaxComputationFloat32toFloat16", handle, 1);
        }
        system.must("Model_finish", handle);
    }

    private void identify(int[] inputs, int[] outputs) {
        ForeignMemory in = ForeignMemory.of(inputs);
        ForeignMemory out = ForeignMemory.of(outputs);
        system.must(
                "Model_identifyInputsAndOutputs", handle, inputs.length, in.address(), outputs.length, out.address());
        Reachability.fence(in);
        Reachability.fence(out);
    }

    private static int[] readFromOutside(Model model, IntPredicate wanted, boolean[] written) {
        boolean[] read = new boolean[written.length];
        for (int i = 0; i < model.operations().size(); i++) {
            Operation operation = model.operations().get(i);
            for (int j = 0; wanted.test(i) && j < operation.inputCount(); j++) {
                int operand = operation.input(j);
                switch (model.operand(operand).lifetime()) {
                    case SUBGRAPH_INPUT, TEMPORARY_VARIABLE, SUBGRAPH_OUTPUT -> read[operand] |= !written[operand];
                    default -> {}
                }
            }
        }
        return numbers(read);
    }

    private static int[] numbers(boolean[] chosen) {
        int count = 0;
        int[] numbers = new int[chosen.length];
        for (int i = 0; i < chosen.length; i++) {
            if (chosen[i]) {
                numbers[count++] = i;
            }
        }
        return Arrays.copyOf(numbers, count);
    }

    private void add(int index, Operand operand) {
        OperandDescriptor descriptor = operand.descriptor();
        ForeignMemory type = type(descriptor, descriptor.dimensions());
        ExtensionOperand extension = descriptor.extension();
        system.must("Model_addOperand", handle, type.address());
        Reachability.fence(type);
        if (extension != null && extension.data() != null) {
            setExtensionData(index, extension.data());
        }
        ChannelQuantization channels = descriptor.channelQuantization();
        if (channels != null) {
            setChannels(index, channels);
        }
        switch (operand.lifetime()) {
            case CONSTANT_COPY, CONSTANT_REFERENCE -> setValue(index, operand.value());
            case NO_VALUE -> system.must("Model_setOperandValue", handle, index, 0, 0);
            case SUBGRAPH -> {
                SystemModel inner = of(system, operand.referenced(), i -> true);
                referenced.add(inner);
                system.must("Model_setOperandValueFromModel", handle, index, inner.handle);
            }
            default -> {}
        }
    }

    private int number(Operation operation) {
        return operation.extension() == null
                ? operation.type().code()
                : number(
                        "Model_getExtensionOperationType",
                        operation.extension().extension(),
                        operation.extension().code());
    }

    /** The number by which the system knows what an extension defines; it differs from process to process. */
    private int number(String function, String extension, int code) {
        ForeignMemory text = ForeignMemory.of(extension);
        ForeignMemory place = new ForeignMemory(Integer.BYTES);
        system.must(function, handle, text.address(), code, place.address());
        Reachability.fence(text);
        return place.getInt(0);
    }

    private void setExtensionData(int index, ByteBuffer data) {
        int length = data.remaining();
        ForeignMemory copy = new ForeignMemory(Math.max(1, length));
        copy.bytes().put(data);
        system.must("Model_setOperandExtensionData", handle, index, copy.address(), length);
        Reachability.fence(copy);
    }

    /** ANeuralNetworksOperandType with its dimensions behind it. */
    ForeignMemory type(OperandDescriptor descriptor, int[] dimensions) {
        ForeignMemory type = new ForeignMemory(TYPE_BYTES + Integer.BYTES * dimensions.length);
        ExtensionOperand extension = descriptor.extension();
        type.putInt(
                0,
                extension == null
                        ? descriptor.type().code()
                        : number(
                                "Model_getExtensionOperandType",
                                extension.type().extension(),
                                extension.type().code()));
        type.putInt(COUNT, dimensions.length);
        type.putWord(DIMENSIONS, dimensions.length == 0 ? 0 : type.address() + TYPE_BYTES);
        type.putInt(SCALE, Float.floatToRawIntBits(descriptor.scale()));
        type.putInt(ZERO_POINT, descriptor.zeroPoint());
        for (int i = 0; i < dimensions.length; i++) {
            type.putInt(TYPE_BYTES + Integer.BYTES * i, dimensions[i]);
        }
        return type;
    }

    /** ANeuralNetworksSymmPerChannelQuantParams: dimension, count and address of the scales. */
    private void setChannels(int index, ChannelQuantization channels) {
        float[] scales = channels.scales();
        ForeignMemory params = new ForeignMemory(16 + Float.BYTES * scales.length);
        params.putInt(0, channels.channelDim());
        params.putInt(4, scales.length);
        params.putWord(8, params.address() + 16);
        for (int i = 0; i < scales.length; i++) {
            params.putInt(16 + Float.BYTES * i, Float.floatToRawIntBits(scales[i]));
        }
        system.must("Model_setOperandSymmPerChannelQuantParams", handle, index, params.address());
        Reachability.fence(params);
    }

    private void setValue(int index, ByteBuffer value) {
        int length = value.remaining();
        if (value.isDirect()) {
            kept.add(value);
            system.must("Model_setOperandValue", handle, index, NativeCalls.address(value), length);
        } else {
            ForeignMemory copy = new ForeignMemory(Math.max(1, length));
            copy.bytes().order(ByteOrder.LITTLE_ENDIAN).put(value);
            kept.add(copy);
            system.must("Model_setOperandValue", handle, index, copy.address(), length);
        }
    }

    @Override
    public void close() {
        system.call("Model_free", handle);
        referenced.forEach(SystemModel::close);
        Reachability.fence(kept);
    }
}
