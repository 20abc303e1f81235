package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.tensor.Half;

/** Builds small graphs of one type, and compares what the device and the reference make of them. */
final class Graphs {
    static final float SCALE = 0.05f;
    static final float COORDINATE_SCALE = 0.125f;
    private static final float WEIGHT_SCALE = 0.02f;
    private static final double TOLERANCE = 2e-4;
    /** The reference rounds each operation's results to 16 bits, the device only what leaves it. */
    private static final double HALF_TOLERANCE = 2e-2;

    final ModelBuilder builder = new ModelBuilder();
    final Random random;
    final OperandType type;

    Graphs(long seed, OperandType type) {
        random = new Random(seed);
        this.type = type;
    }

    boolean isFloat() {
        return type.isFloat();
    }

    private int zeroPoint() {
        return type == OperandType.TENSOR_QUANT8_ASYMM ? 117 : -9;
    }

    int tensor(int... dims) {
        return builder.addOperand(
                type.isQuantized()
                        ? OperandDescriptor.quantized(type, SCALE, zeroPoint(), dims)
                        : OperandDescriptor.tensor(type, dims));
    }

    int scalar(int value) {
        int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(operand, value);
        return operand;
    }

    /** A float of 16 bits where the tensors' are, otherwise of 32. */
    int real(float value) {
        boolean half = type == OperandType.TENSOR_FLOAT16;
        int operand = builder.addOperand(OperandDescriptor.scalar(half ? OperandType.FLOAT16 : OperandType.FLOAT32));
        ByteBuffer bytes = ByteBuffer.allocate(half ? 2 : 4).order(ByteOrder.LITTLE_ENDIAN);
        builder.setOperandValue(operand, half ? bytes.putShort(0, Half.fromFloat(value)) : bytes.putFloat(0, value));
        return operand;
    }

    /** Coordinates of boxes: in eighths of a pixel beside bytes. */
    int coordinates(int... dims) {
        return builder.addOperand(
                isFloat()
                        ? OperandDescriptor.tensor(type, dims)
                        : OperandDescriptor.quantized(OperandType.TENSOR_QUANT16_ASYMM, COORDINATE_SCALE, 0, dims));
    }

    ByteBuffer coordinateData(float... values) {
        OperandType of = isFloat() ? type : OperandType.TENSOR_QUANT16_ASYMM;
        ByteBuffer data =
                ByteBuffer.allocateDirect(values.length * of.elementBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            switch (of) {
                case TENSOR_FLOAT32 -> data.putFloat(value);
                case TENSOR_FLOAT16 -> data.putShort(Half.fromFloat(value));
                default -> data.putShort((short) (value / COORDINATE_SCALE));
            }
        }
        return data.flip();
    }

    /** Constant coordinates of that shape. */
    int coordinates(float[] values, int... dims) {
        int operand = coordinates(dims);
        builder.setOperandValue(operand, coordinateData(values));
        return operand;
    }

    int flag(boolean value) {
        int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.BOOL));
        builder.setOperandValue(operand, value);
        return operand;
    }

    int ints(int... values) {
        int operand = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, values.length));
        builder.setOperandValue(operand, values);
        return operand;
    }

    int constant(int... dims) {
        int operand = tensor(dims);
        builder.setOperandValue(operand, data(type, OperationView.product(dims, 0, dims.length)));
        return operand;
    }

    int weights(int... dims) {
        OperandDescriptor descriptor = isFloat()
                ? OperandDescriptor.tensor(type, dims)
                : OperandDescriptor.quantized(type, WEIGHT_SCALE, zeroPoint(), dims);
        int operand = builder.addOperand(descriptor);
        builder.setOperandValue(operand, data(type, OperationView.product(dims, 0, dims.length)));
        return operand;
    }

    int bias(int count) {
        OperandDescriptor descriptor = isFloat()
                ? OperandDescriptor.tensor(type, count)
                : OperandDescriptor.quantized(OperandType.TENSOR_INT32, SCALE * WEIGHT_SCALE, 0, count);
        int operand = builder.addOperand(descriptor);
        if (isFloat()) {
            builder.setOperandValue(operand, data(type, count));
        } else {
            int[] values = random.ints(count, -2000, 2000).toArray();
            builder.setOperandValue(operand, values);
        }
        return operand;
    }

    int apply(OperationType operation, int[] outDims, int... inputs) {
        int out = tensor(outDims);
        builder.addOperation(operation, inputs, new int[] {out});
        return out;
    }

    /** Random floats within [-1, 1), bytes, or small numbers. */
    ByteBuffer data(OperandType of, int count) {
        ByteBuffer data = ByteBuffer.allocateDirect(count * of.elementBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            switch (of.element()) {
                case FLOAT32 -> data.putFloat(i * Float.BYTES, random.nextFloat() * 2 - 1);
                case FLOAT16 -> data.putShort(i * Short.BYTES, Half.fromFloat(random.nextFloat() * 2 - 1));
                case INT32 -> data.putInt(i * Integer.BYTES, random.nextInt(200) - 100);
                case BOOL8 -> data.put(i, (byte) random.nextInt(2));
                default -> data.put(i, (byte) random.nextInt());
            }
        }
        return data;
    }

    /**
     * Finishes the model, demands that the device takes all of it in programs, and that both devices agree, twice over.
     */
    void compare(int[] inputs, int... outputs) {
        builder.identifyInputsAndOutputs(inputs, outputs);
        Model model = builder.finish();
        ByteBuffer[] data = new ByteBuffer[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            data[i] = data(
                    model.input(i).type(), (int) model.input(i).descriptor().elementCount());
        }
        try (PreparedModel expected = new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT);
                PreparedModel actual = prepare(model)) {
            for (int time = 0; time < 2; time++) {
                compare(model, expected, actual, data);
            }
        }
    }

    /** A model of which the device takes every operation. */
    static PreparedModel prepare(Model model) {
        Devices devices = Devices.of(new CpuDriver());
        Device cpu = devices.find(CpuDriver.NAME);
        assertEquals(List.of(), cpu.refusals(model));
        return new Compiled(new CompilationBuilder(model)
                .setAvailable(devices)
                .setDevices(List.of(cpu))
                .finish());
    }

    /** The device alone, with what the runtime does for it: parts that wait for shapes or values, IF and WHILE. */
    record Compiled(Compilation compilation) implements PreparedModel {
        @Override
        public void execute(ExecutionRequest request) {
            Execution execution = compilation.createExecution();
            for (int i = 0; i < request.inputCount(); i++) {
                execution.setInput(i, request.input(i), request.inputDimensions(i));
            }
            for (int i = 0; i < request.outputCount(); i++) {
                execution.setOutput(i, request.output(i));
            }
            try {
                execution.compute();
            } finally {
                for (int i = 0; i < request.outputCount(); i++) {
                    try {
                        request.reportOutput(i, execution.outputDimensions(i), execution.isOutputSufficient(i));
                    } catch (NnapiException e) {
                        request.reportOutput(i, null, true);
                    }
                }
            }
        }

        @Override
        public DeviceMemory memory() {
            return compilation.memory();
        }

        @Override
        public void close() {
            compilation.close();
        }
    }

    /** That two prepared models agree on inputs of their declared shapes, and the second has programs for them. */
    static void compare(Model model, PreparedModel expected, PreparedModel actual, ByteBuffer... data) {
        byte[][] wanted = run(model, expected, data);
        byte[][] found = run(model, actual, data);
        assertTrue(actual.memory().working() > 0, "no program was made");
        for (int i = 0; i < wanted.length; i++) {
            OperandType type = model.output(i).type();
            if (!type.isFloat()) {
                assertArrayEquals(wanted[i], found[i], "output " + i + " of " + model);
                continue;
            }
            double tolerance = type == OperandType.TENSOR_FLOAT16 ? HALF_TOLERANCE : TOLERANCE;
            for (int j = 0; j < wanted[i].length / type.elementBytes(); j++) {
                float e = element(wanted[i], type, j);
                assertEquals(
                        e,
                        element(found[i], type, j),
                        tolerance * (1 + Math.abs(e)),
                        "element " + j + " of output " + i + " of " + model);
            }
        }
    }

    private static float element(byte[] data, OperandType type, int at) {
        ByteBuffer buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        return type == OperandType.TENSOR_FLOAT16
                ? Half.toFloat(buffer.getShort(at * Short.BYTES))
                : buffer.getFloat(at * Float.BYTES);
    }

    private static byte[][] run(Model model, PreparedModel prepared, ByteBuffer[] data) {
        byte[][] results = new byte[model.outputCount()][];
        ExecutionRequest request = new ExecutionRequest(model);
        for (int i = 0; i < data.length; i++) {
            request.setInput(i, data[i]);
        }
        for (int i = 0; i < results.length; i++) {
            results[i] = new byte[(int) model.output(i).descriptor().byteCount()];
            request.setOutput(i, ByteBuffer.wrap(results[i]));
        }
        prepared.execute(request);
        return results;
    }
}
