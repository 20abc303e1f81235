package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Half;

/**
 * Runs one operation on the reference device and compares: {@code OperationTester.of(RELU).floats(shape(2), -1,
 * 2).expectFloats(shape(2), 0, 2).run()}. {@link #run} repeats the example with constants, with every operand given
 * late and with output shapes left open, all of which must give the same.
 */
final class OperationTester {
    private static final double FLOAT32_TOLERANCE = 1e-5;
    private static final double FLOAT16_TOLERANCE = 5e-3;

    /** An operand and its values: real numbers for float types, else stored integers. */
    private record Value(OperandDescriptor descriptor, double[] values) {
        ByteBuffer bytes() {
            OperandType type = descriptor.type();
            ByteBuffer bytes = ByteBuffer.allocate(Math.max(1, values.length) * Math.max(1, type.elementBytes()))
                    .order(ByteOrder.LITTLE_ENDIAN);
            for (double value : values) {
                switch (type.element()) {
                    case FLOAT32 -> bytes.putFloat((float) value);
                    case FLOAT16 -> bytes.putShort(Half.fromFloat((float) value));
                    case INT32 -> bytes.putInt((int) value);
                    case INT16, UINT16 -> bytes.putShort((short) value);
                    default -> bytes.put((byte) value);
                }
            }
            return bytes.flip();
        }

        double read(ByteBuffer bytes, int index) {
            return switch (descriptor.type().element()) {
                case FLOAT32 -> bytes.getFloat(4 * index);
                case FLOAT16 -> Half.toFloat(bytes.getShort(2 * index));
                case INT32 -> bytes.getInt(4 * index);
                case INT16 -> bytes.getShort(2 * index);
                case UINT16 -> bytes.getShort(2 * index) & 0xFFFF;
                case UINT8 -> bytes.get(index) & 0xFF;
                default -> bytes.get(index);
            };
        }

        Value narrowed() {
            OperandType type = descriptor.type();
            OperandType narrow = type == TENSOR_FLOAT32 ? TENSOR_FLOAT16 : type == FLOAT32 ? FLOAT16 : type;
            return new Value(
                    new OperandDescriptor(
                            narrow,
                            descriptor.dimensions(),
                            descriptor.scale(),
                            descriptor.zeroPoint(),
                            descriptor.channelQuantization()),
                    values);
        }
    }

    /** Which operands are constants of the model, and whether it declares the outputs' shapes. */
    private enum Mode {
        TENSORS_AS_INPUTS,
        ALL_AS_INPUTS,
        FIRST_AS_INPUT
    }

    private final OperationType type;
    private final List<Value> inputs = new ArrayList<>();
    private final List<Value> outputs = new ArrayList<>();

    private OperationTester(OperationType type) {
        this.type = type;
    }

    static OperationTester of(OperationType type) {
        return new OperationTester(type);
    }

    static int[] shape(int... dims) {
        return dims;
    }

    private static double[] widen(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    private static double[] widen(int[] values) {
        return Arrays.stream(values).asDoubleStream().toArray();
    }

    private OperationTester input(OperandDescriptor descriptor, double[] values) {
        inputs.add(new Value(descriptor, values));
        return this;
    }

    OperationTester floats(int[] dims, float... values) {
        return input(OperandDescriptor.tensor(TENSOR_FLOAT32, dims), widen(values));
    }

    OperationTester ints(int[] dims, int... values) {
        return input(OperandDescriptor.tensor(TENSOR_INT32, dims), widen(values));
    }

    /** A TENSOR_INT32 bias in steps of {@code scale}. */
    OperationTester bias(float scale, int... values) {
        return input(OperandDescriptor.quantized(TENSOR_INT32, scale, 0, values.length), widen(values));
    }

    OperationTester bools(int[] dims, int... values) {
        return input(OperandDescriptor.tensor(TENSOR_BOOL8, dims), widen(values));
    }

    OperationTester quantized(OperandType tensorType, float scale, int zeroPoint, int[] dims, int... values) {
        return input(OperandDescriptor.quantized(tensorType, scale, zeroPoint, dims), widen(values));
    }

    OperationTester perChannel(ChannelQuantization channels, int[] dims, int... values) {
        return input(OperandDescriptor.perChannel(channels, dims), widen(values));
    }

    OperationTester scalar(int value) {
        return input(OperandDescriptor.scalar(INT32), new double[] {value});
    }

    OperationTester scalars(int... values) {
        for (int value : values) {
            scalar(value);
        }
        return this;
    }

    OperationTester scalar(float value) {
        return input(OperandDescriptor.scalar(FLOAT32), new double[] {value});
    }

    OperationTester scalar(boolean value) {
        return input(OperandDescriptor.scalar(BOOL), new double[] {value ? 1 : 0});
    }

    /** An optional tensor that is left out. */
    OperationTester omitted(OperandType tensorType) {
        return input(
                tensorType.isQuantized()
                        ? OperandDescriptor.quantized(tensorType, 1, 0, 1)
                        : OperandDescriptor.tensor(tensorType, 1),
                null);
    }

    private OperationTester expect(OperandDescriptor descriptor, double[] values) {
        outputs.add(new Value(descriptor, values));
        return this;
    }

    OperationTester expectFloats(int[] dims, float... values) {
        return expect(OperandDescriptor.tensor(TENSOR_FLOAT32, dims), widen(values));
    }

    OperationTester expectInts(int[] dims, int... values) {
        return expect(OperandDescriptor.tensor(TENSOR_INT32, dims), widen(values));
    }

    OperationTester expectScalar(int value) {
        return expect(OperandDescriptor.scalar(INT32), new double[] {value});
    }

    OperationTester expectBools(int[] dims, int... values) {
        return expect(OperandDescriptor.tensor(TENSOR_BOOL8, dims), widen(values));
    }

    OperationTester expectQuantized(OperandType tensorType, float scale, int zeroPoint, int[] dims, int... values) {
        return expect(OperandDescriptor.quantized(tensorType, scale, zeroPoint, dims), widen(values));
    }

    /** Runs the example in every way. */
    void run() {
        for (Mode mode : Mode.values()) {
            run(mode);
        }
    }

    /** Runs the example as it is, and again with float16 for float32. */
    void runFloats() {
        run();
        OperationTester half = new OperationTester(type);
        inputs.forEach(value -> half.inputs.add(value.narrowed()));
        outputs.forEach(value -> half.outputs.add(value.narrowed()));
        half.run();
    }

    /** Demands that the lowest feature level which accepts the operation is this. */
    OperationTester needs(FeatureLevel level) {
        assertEquals(level, model(Mode.FIRST_AS_INPUT).featureLevelNeed().level(), type + ": feature level");
        return this;
    }

    /**
     * Demands that building, preparing or executing ends with an error that says one of these, as what is known when
     * differs.
     */
    void illegal(String... messages) {
        for (Mode mode : Mode.values()) {
            NnapiException error = assertThrows(NnapiException.class, () -> run(mode), () -> type + " " + mode);
            // A definition that stumbles is wrapped in such an error too, and is none of its refusals.
            assertTrue(
                    error.getCause() == null || error.getCause() instanceof NnapiException,
                    () -> type + " " + mode + ": " + error.getCause());
            assertTrue(
                    Arrays.stream(messages).anyMatch(error.getMessage()::contains)
                            && error.getMessage().contains("(expected: "),
                    () -> type + " " + mode + ": " + error.getMessage() + " does not say: "
                            + String.join(", or ", messages));
        }
    }

    private boolean isModelInput(int position, Mode mode) {
        Value value = inputs.get(position);
        if (value.values == null) {
            return false;
        }
        return mode == Mode.ALL_AS_INPUTS
                || position == 0
                || value.values.length == 0
                || mode == Mode.TENSORS_AS_INPUTS && value.descriptor.type().isTensor();
    }

    private Model model(Mode mode) {
        ModelBuilder builder = new ModelBuilder();
        List<Integer> modelInputs = new ArrayList<>();
        int[] operationInputs = new int[inputs.size()];
        for (int i = 0; i < operationInputs.length; i++) {
            Value value = inputs.get(i);
            operationInputs[i] = builder.addOperand(value.descriptor);
            if (isModelInput(i, mode)) {
                modelInputs.add(operationInputs[i]);
            } else {
                builder.setOperandValue(operationInputs[i], value.values == null ? null : value.bytes());
            }
        }
        int[] operationOutputs = new int[outputs.size()];
        for (int i = 0; i < operationOutputs.length; i++) {
            OperandDescriptor descriptor = outputs.get(i).descriptor;
            operationOutputs[i] = builder.addOperand(
                    mode == Mode.ALL_AS_INPUTS ? descriptor.withDimensions(new int[descriptor.rank()]) : descriptor);
        }
        builder.addOperation(type, operationInputs, operationOutputs);
        builder.identifyInputsAndOutputs(modelInputs.stream().mapToInt(i -> i).toArray(), operationOutputs);
        return builder.finish();
    }

    private void run(Mode mode) {
        Model model = model(mode);
        try (PreparedModel prepared = new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT)) {
            ExecutionRequest request = new ExecutionRequest(model);
            int next = 0;
            for (int i = 0; i < inputs.size(); i++) {
                if (isModelInput(i, mode)) {
                    request.setInput(
                            next++,
                            inputs.get(i).bytes(),
                            inputs.get(i).descriptor.dimensions());
                }
            }
            List<ByteBuffer> results = new ArrayList<>();
            for (int i = 0; i < outputs.size(); i++) {
                int bytes = Math.max(
                        1,
                        outputs.get(i).values.length
                                * outputs.get(i).descriptor.type().elementBytes());
                results.add(ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN));
                request.setOutput(i, results.get(i));
            }
            prepared.execute(request);
            for (int i = 0; i < outputs.size(); i++) {
                compare(
                        type + " " + mode + " output " + i,
                        outputs.get(i),
                        request.outputDimensions(i),
                        results.get(i));
            }
        }
    }

    private static void compare(String what, Value expected, int[] dims, ByteBuffer actual) {
        assertArrayEquals(expected.descriptor.dimensions(), dims, what + ": shape");
        OperandType element = expected.descriptor.type();
        double tolerance =
                element == TENSOR_FLOAT32 ? FLOAT32_TOLERANCE : element == TENSOR_FLOAT16 ? FLOAT16_TOLERANCE : 0;
        for (int i = 0; i < expected.values.length; i++) {
            double wanted = expected.values[i];
            assertEquals(
                    wanted, expected.read(actual, i), tolerance * Math.max(1, Math.abs(wanted)), what + "[" + i + "]");
        }
    }
}
