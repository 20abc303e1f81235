package org.torchnnapi.driver.android;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.tensor.platform.Reachability;

/**
 * The memory of one execution: inputs and outputs on the heap, and views of other memory, are copied through it; bytes
 * outside the heap and imported memory are used in place.
 */
final class StagedMemory {
    /** The most dimensions that a driver is believed. */
    private static final int MOST_DIMENSIONS = 64;

    private final Model model;
    private final SystemModel built;
    private final SystemDriver driver;
    private final ForeignMemory[] inputs;
    private final ForeignMemory[] outputs;
    private final ForeignMemory[] types;

    /**
     * @param built what the system has of the model
     * @param driver whose device executes
     */
    StagedMemory(Model model, SystemModel built, SystemDriver driver) {
        this.model = model;
        this.built = built;
        this.driver = driver;
        inputs = new ForeignMemory[model.inputCount()];
        outputs = new ForeignMemory[model.outputCount()];
        types = new ForeignMemory[inputs.length];
    }

    void bind(SystemLibrary system, long execution, ExecutionRequest request) {
        for (int i = 0; i < inputs.length; i++) {
            bindInput(system, execution, request, i);
        }
        for (int i = 0; i < outputs.length; i++) {
            bindOutput(system, execution, request, i);
        }
    }

    private void bindInput(SystemLibrary system, long execution, ExecutionRequest request, int i) {
        Buffer data = request.input(i);
        SystemBuffer own = own(request.inputBuffer(i), driver);
        if (data == null && own == null) {
            system.must("Execution_setInput", execution, i, 0, 0, 0);
            return;
        }
        OperandDescriptor descriptor = model.input(i).descriptor();
        int[] dimensions = request.inputDimensions(i);
        OperandDescriptor given = dimensions == null ? descriptor : descriptor.withDimensions(dimensions);
        types[i] = dimensions == null ? null : built.type(given, dimensions);
        long type = dimensions == null ? 0 : types[i].address();
        int elements = OperandBuffers.elements(given, given.type().isTensor() ? given.dimensions() : new int[0]);
        int size = Math.multiplyExact(elements, given.type().elementBytes());
        if (own != null) {
            // What the system chose is always used as a whole.
            boolean whole = own.host() == null;
            system.must(
                    "Execution_setInputFromMemory",
                    execution,
                    i,
                    type,
                    own.handle(),
                    whole ? 0 : request.inputOffset(i),
                    whole ? 0 : size);
            return;
        }
        long address;
        if (data instanceof ByteBuffer bytes && bytes.isDirect()) {
            address = NativeCalls.address(bytes);
        } else {
            inputs[i] = room(inputs[i], size);
            OperandBuffers.copy(data, typed(i, inputs[i], true), elements);
            address = inputs[i].address();
        }
        system.must("Execution_setInput", execution, i, type, address, size);
    }

    private void bindOutput(SystemLibrary system, long execution, ExecutionRequest request, int i) {
        Buffer data = request.output(i);
        int bytes = model.output(i).type().elementBytes();
        SystemBuffer own = own(request.outputBuffer(i), driver);
        if (own != null) {
            boolean whole = own.host() == null;
            long size = whole ? 0 : Math.max(model.output(i).descriptor().byteCount(), 0);
            size = whole || size > 0 ? size : (long) data.capacity() * bytes;
            system.must(
                    "Execution_setOutputFromMemory",
                    execution,
                    i,
                    0,
                    own.handle(),
                    whole ? 0 : request.outputOffset(i),
                    size);
            return;
        }
        // No room means to NNAPI that the output is not wanted, so an empty one gets room for an element.
        int size = data == null ? 0 : Math.multiplyExact(Math.max(1, data.capacity()), bytes);
        long known = model.output(i).descriptor().byteCount();
        if (known > 0 && known < size) {
            size = (int) known;
        }
        long address = 0;
        if (data instanceof ByteBuffer direct && writesInPlace(request, i)) {
            address = NativeCalls.address(direct);
        } else if (data != null) {
            outputs[i] = room(outputs[i], size);
            address = outputs[i].address();
        }
        system.must("Execution_setOutput", execution, i, 0, address, size);
    }

    /** The buffer where it is this device's; else null. */
    private static SystemBuffer own(DeviceBuffer buffer, SystemDriver driver) {
        return buffer instanceof SystemBuffer system && system.owner() == driver ? system : null;
    }

    private static ForeignMemory room(ForeignMemory memory, int size) {
        return memory != null && memory.size() >= size ? memory : new ForeignMemory(Math.max(1, size));
    }

    private Buffer typed(int position, ForeignMemory memory, boolean input) {
        ByteBuffer bytes = memory.bytes().order(ByteOrder.LITTLE_ENDIAN);
        return OperandBuffers.view((input ? model.input(position) : model.output(position)).type(), bytes);
    }

    /** Reports the shapes that the system computed, and says whether all outputs have room. */
    boolean report(SystemLibrary system, long execution, ExecutionRequest request) {
        ForeignMemory place = null;
        boolean allFit = true;
        for (int i = 0; i < outputs.length; i++) {
            OperandDescriptor descriptor = model.output(i).descriptor();
            int[] dimensions = descriptor.dimensions();
            boolean fits = true;
            if (!descriptor.isFullySpecified() && system.has("Execution_getOutputOperandRank")) {
                place = place == null ? new ForeignMemory(Integer.BYTES) : place;
                int code = (int) system.call("Execution_getOutputOperandRank", execution, i, place.address());
                fits = code == 0;
                if (!fits && code != ResultCode.OUTPUT_INSUFFICIENT_SIZE.code()) {
                    throw SystemLibrary.failed("Execution_getOutputOperandRank", code);
                }
                dimensions = dimensions(system, execution, i, place.getInt(0));
                Buffer data = request.output(i);
                boolean hidden = request.outputBuffer(i) != null
                        && request.outputBuffer(i).host() == null;
                fits &= data == null || hidden || OperandBuffers.elements(descriptor, dimensions) <= data.capacity();
            }
            allFit &= fits;
            request.reportOutput(i, dimensions, fits);
        }
        Reachability.fence(place);
        return allFit;
    }

    private static int[] dimensions(SystemLibrary system, long execution, int output, int rank) {
        if (rank < 0 || rank > MOST_DIMENSIONS) {
            throw new NnapiException(
                    ResultCode.OP_FAILED,
                    "rank of output " + output + ": " + rank + " (expected: 0 to " + MOST_DIMENSIONS + ")");
        }
        int[] dimensions = new int[rank];
        if (rank > 0) {
            ForeignMemory place = new ForeignMemory(Integer.BYTES * rank);
            int code = (int) system.call("Execution_getOutputOperandDimensions", execution, output, place.address());
            if (code != 0 && code != ResultCode.OUTPUT_INSUFFICIENT_SIZE.code()) {
                throw SystemLibrary.failed("Execution_getOutputOperandDimensions", code);
            }
            place.bytes().asIntBuffer().get(dimensions);
        }
        return dimensions;
    }

    /** Whether the device reads every input where it is. */
    static boolean readsInPlace(ExecutionRequest request, SystemDriver driver) {
        for (int i = 0; i < request.inputCount(); i++) {
            Buffer data = request.input(i);
            if (data != null
                    && !(data instanceof ByteBuffer bytes && bytes.isDirect())
                    && own(request.inputBuffer(i), driver) == null) {
                return false;
            }
        }
        return true;
    }

    /** Whether the device writes every output where it is wanted. */
    boolean writesInPlace(ExecutionRequest request) {
        for (int i = 0; i < outputs.length; i++) {
            if (request.output(i) != null && !writesInPlace(request, i)) {
                return false;
            }
        }
        return true;
    }

    private boolean writesInPlace(ExecutionRequest request, int output) {
        return own(request.outputBuffer(output), driver) != null
                || request.output(output) instanceof ByteBuffer bytes && bytes.isDirect() && bytes.capacity() > 0;
    }

    /** Copies outputs to where they are wanted. */
    void giveBack(ExecutionRequest request) {
        for (int i = 0; i < outputs.length; i++) {
            Buffer data = request.output(i);
            if (data != null && !writesInPlace(request, i) && outputs[i] != null) {
                OperandDescriptor descriptor = model.output(i).descriptor();
                int elements = OperandBuffers.elements(
                        descriptor, descriptor.type().isTensor() ? request.outputDimensions(i) : new int[0]);
                OperandBuffers.copy(typed(i, outputs[i], false), data, elements);
            }
        }
        Reachability.fence(inputs);
    }
}
