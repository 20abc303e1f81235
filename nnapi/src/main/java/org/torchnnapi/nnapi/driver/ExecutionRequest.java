package org.torchnnapi.nnapi.driver;

import java.nio.Buffer;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;

/**
 * The inputs and outputs of one execution. Data are typed buffers (see {@link OperandBuffers}) from index 0 on, and may
 * be larger than the value. Reusable: binding again replaces.
 */
public final class ExecutionRequest {
    private final Model model;
    private final Buffer[] inputs;
    private final int[][] inputDimensions;
    private final Buffer[] outputs;
    private final int[][] outputDimensions;
    private final boolean[] sufficient;
    private final DeviceBuffer[] inputBuffers;
    private final DeviceBuffer[] outputBuffers;
    private final long[] inputOffsets;
    private final long[] outputOffsets;
    private boolean hasBuffers;
    private ExecutionControl control = new ExecutionControl();
    private boolean timed;
    private List<ExtensionAttribute> attributes = List.of();
    private long hardwareNanos = -1;
    private long driverNanos = -1;

    public ExecutionRequest(Model model) {
        this.model = model;
        inputs = new Buffer[model.inputCount()];
        inputDimensions = new int[inputs.length][];
        outputs = new Buffer[model.outputCount()];
        outputDimensions = new int[outputs.length][];
        sufficient = new boolean[outputs.length];
        inputBuffers = new DeviceBuffer[inputs.length];
        outputBuffers = new DeviceBuffer[outputs.length];
        inputOffsets = new long[inputs.length];
        outputOffsets = new long[outputs.length];
        Arrays.fill(sufficient, true);
    }

    public int inputCount() {
        return inputs.length;
    }

    public int outputCount() {
        return outputs.length;
    }

    /**
     * Binds an input.
     *
     * @param data raw little-endian bytes or a typed buffer, from position to limit; null when the input is left out
     * @param dimensions where the model leaves some open, else null
     * @throws NnapiException BAD_DATA if the position, kind of buffer or dimensions are wrong
     */
    public void setInput(int position, Buffer data, int... dimensions) {
        requirePosition("input", position, inputs.length);
        int[] declared = model.input(position).descriptor().dimensions();
        boolean given = dimensions != null && dimensions.length > 0;
        boolean fits = !given || declared.length == 0 || declared.length == dimensions.length;
        for (int i = 0; given && fits && i < declared.length; i++) {
            fits = declared[i] == 0 || declared[i] == dimensions[i];
        }
        if (!fits) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "dimensions of input " + position + ": " + Arrays.toString(dimensions) + " (expected: as declared, "
                            + Arrays.toString(declared) + ")");
        }
        inputs[position] =
                data == null ? null : OperandBuffers.view(model.input(position).type(), data);
        inputDimensions[position] = given ? dimensions.clone() : null;
        inputBuffers[position] = null;
    }

    /**
     * Binds an output.
     *
     * @param data raw little-endian bytes or a typed buffer, from position to limit
     * @throws NnapiException BAD_DATA if the position or kind of buffer is wrong
     */
    public void setOutput(int position, Buffer data) {
        requirePosition("output", position, outputs.length);
        outputs[position] =
                data == null ? null : OperandBuffers.view(model.output(position).type(), data);
        outputBuffers[position] = null;
    }

    /**
     * Binds a typed view that is known to fit the model; null when left out. Dimensions only where the model leaves
     * some open.
     */
    public void passInput(int position, Buffer typed, int[] dimensions) {
        inputs[position] = typed;
        inputDimensions[position] = dimensions;
    }

    /**
     * Says that an input lies in a device's memory, null that it does not. Its data then are the bytes where they can
     * be reached, and else an empty buffer, which stands for the value.
     *
     * @param offset of the value in the buffer, in bytes
     */
    public void passInputBuffer(int position, DeviceBuffer buffer, long offset) {
        inputBuffers[position] = buffer;
        inputOffsets[position] = offset;
        hasBuffers |= buffer != null;
    }

    /** The same of an output. */
    public void passOutputBuffer(int position, DeviceBuffer buffer, long offset) {
        outputBuffers[position] = buffer;
        outputOffsets[position] = offset;
        hasBuffers |= buffer != null;
    }

    /**
     * The memory of a device in which an input lies, or null. A driver is given only its own where the bytes cannot be
     * reached.
     */
    public DeviceBuffer inputBuffer(int position) {
        return inputBuffers[position];
    }

    /** The memory of a device that an output goes to, or null. */
    public DeviceBuffer outputBuffer(int position) {
        return outputBuffers[position];
    }

    /** Where in its device's memory an input begins, in bytes. */
    public long inputOffset(int position) {
        return inputOffsets[position];
    }

    /** Where in its device's memory an output begins, in bytes. */
    public long outputOffset(int position) {
        return outputOffsets[position];
    }

    /** Whether any input or output may be in a device's memory. */
    public boolean hasBuffers() {
        return hasBuffers;
    }

    /** Binds a typed view that is known to fit the model. */
    public void passOutput(int position, Buffer typed) {
        outputs[position] = typed;
    }

    private static void requirePosition(String what, int position, int count) {
        if (position < 0 || position >= count) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, what + ": " + position + " (expected: 0 to " + (count - 1) + ")");
        }
    }

    /** The data of an input as a typed view; null when left out. */
    public Buffer input(int position) {
        return inputs[position];
    }

    /** The dimensions given for an input, null when those of the model hold. Not to be changed. */
    public int[] inputDimensions(int position) {
        return inputDimensions[position];
    }

    /** The place of an output as a typed view, or null. */
    public Buffer output(int position) {
        return outputs[position];
    }

    /**
     * Reports the shape of an output; called by the driver.
     *
     * @param fits whether the output's buffer has room for it
     */
    public void reportOutput(int position, int[] dimensions, boolean fits) {
        outputDimensions[position] = dimensions;
        sufficient[position] = fits;
    }

    /** The shape of an output after the execution, null if it was not worked out. Not to be changed. */
    public int[] outputDimensions(int position) {
        return outputDimensions[position];
    }

    /** Whether the output's buffer had room for its value. */
    public boolean isOutputSufficient(int position) {
        return sufficient[position];
    }

    /** Deadline and cancellation of this execution. */
    public ExecutionControl control() {
        return control;
    }

    /** Sets what may stop this execution. */
    public void control(ExecutionControl newControl) {
        control = newControl;
    }

    /** Whether durations are to be measured. */
    public boolean isTimed() {
        return timed;
    }

    /** Says whether durations are to be measured. */
    public void timed(boolean measure) {
        timed = measure;
    }

    /** What the caller says by the device's extensions, each code once. Not to be changed. */
    public List<ExtensionAttribute> attributes() {
        return attributes;
    }

    /** Sets what the caller says by the device's extensions. */
    public void attributes(List<ExtensionAttribute> given) {
        attributes = given;
    }

    /** Reports how long the hardware worked; called by a driver that knows. */
    public void reportHardwareNanos(long nanos) {
        hardwareNanos = nanos;
    }

    /** How long the hardware worked in nanoseconds, -1 when not known. */
    public long hardwareNanos() {
        return hardwareNanos;
    }

    /** Reports how long the driver worked, hardware included. */
    public void reportDriverNanos(long nanos) {
        driverNanos = nanos;
    }

    /** How long the driver worked in nanoseconds, -1 when not measured. */
    public long driverNanos() {
        return driverNanos;
    }
}
