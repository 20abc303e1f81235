package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Builds small graphs of one type, and compares what the device and the reference make of them. */
final class Graphs {
    static final float SCALE = 0.05f;
    private static final float WEIGHT_SCALE = 0.02f;
    private static final double TOLERANCE = 2e-4;

    final ModelBuilder builder = new ModelBuilder();
    final Random random;
    final OperandType type;

    Graphs(long seed, OperandType type) {
        random = new Random(seed);
        this.type = type;
    }

    boolean isFloat() {
        return type == OperandType.TENSOR_FLOAT32;
    }

    private int zeroPoint() {
        return type == OperandType.TENSOR_QUANT8_ASYMM ? 117 : -9;
    }

    int tensor(int... dims) {
        return builder.addOperand(isFloat() ? OperandDescriptor.tensor(type, dims) : OperandDescriptor.quantized(type, SCALE, zeroPoint(), dims));
    }

    int scalar(int value) {
        int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(operand, value);
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
        builder.setOperandValue(operand, data(Site.product(dims, 0, dims.length), isFloat()));
        return operand;
    }

    int weights(int... dims) {
        OperandDescriptor descriptor = isFloat() ? OperandDescriptor.tensor(type, dims)
                : OperandDescriptor.quantized(type, WEIGHT_SCALE, zeroPoint(), dims);
        int operand = builder.addOperand(descriptor);
        builder.setOperandValue(operand, data(Site.product(dims, 0, dims.length), isFloat()));
        return operand;
    }

    int bias(int count) {
        OperandDescriptor descriptor = isFloat() ? OperandDescriptor.tensor(type, count)
                : OperandDescriptor.quantized(OperandType.TENSOR_INT32, SCALE * WEIGHT_SCALE, 0, count);
        int operand = builder.addOperand(descriptor);
        if (isFloat()) {
            builder.setOperandValue(operand, data(count, true));
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

    ByteBuffer data(int count, boolean real) {
        ByteBuffer data = ByteBuffer.allocateDirect(count * (real ? Float.BYTES : 1)).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            if (real) {
                data.putFloat(i * Float.BYTES, random.nextFloat() * 2 - 1);
            } else {
                data.put(i, (byte) random.nextInt());
            }
        }
        return data;
    }

    /** Finishes the model, demands that the device takes all of it, and that both devices agree, twice over. */
    void compare(int[] inputs, int... outputs) {
        builder.identifyInputsAndOutputs(inputs, outputs);
        Model model = builder.finish();
        for (String refusal : new CpuDriver().supportedOperations(model)) {
            assertNull(refusal);
        }
        ByteBuffer[] data = new ByteBuffer[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            data[i] = data((int) model.input(i).descriptor().elementCount(), isFloat());
        }
        byte[][] expected = run(new ReferenceDriver(), model, data, 1);
        byte[][] actual = run(new CpuDriver(), model, data, 2);
        for (int i = 0; i < expected.length; i++) {
            if (!isFloat()) {
                assertArrayEquals(expected[i], actual[i], model.toString());
                continue;
            }
            ByteBuffer e = ByteBuffer.wrap(expected[i]).order(ByteOrder.LITTLE_ENDIAN);
            ByteBuffer a = ByteBuffer.wrap(actual[i]).order(ByteOrder.LITTLE_ENDIAN);
            for (int j = 0; j < e.capacity(); j += Float.BYTES) {
                assertEquals(e.getFloat(j), a.getFloat(j), TOLERANCE * (1 + Math.abs(e.getFloat(j))), "element " + j / Float.BYTES + " of " + model);
            }
        }
    }

    private static byte[][] run(Driver driver, Model model, ByteBuffer[] data, int times) {
        byte[][] results = new byte[model.outputCount()][];
        try (PreparedModel prepared = driver.prepare(model, PrepareOptions.DEFAULT)) {
            for (int time = 0; time < times; time++) {
                ExecutionRequest request = new ExecutionRequest(model);
                for (int i = 0; i < data.length; i++) {
                    request.setInput(i, data[i]);
                }
                for (int i = 0; i < results.length; i++) {
                    results[i] = new byte[(int) model.output(i).descriptor().byteCount()];
                    request.setOutput(i, ByteBuffer.wrap(results[i]));
                }
                prepared.execute(request);
            }
        }
        return results;
    }
}
