package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * A model of up to a dozen operations on images [batch, height, width, channels] of one type, 32-bit floats or bytes of
 * either kind, with values for its inputs: each operation takes what earlier ones gave, in any order, and all that no
 * operation takes is an output. Floats stay within bounds in which rounding does not grow without end.
 */
final class RandomGraph {
    /** A tensor, and a bound of its floats' size. */
    private record Value(int operand, OperandDescriptor descriptor, double bound) {
        int dim(int axis) {
            return descriptor.dimension(axis);
        }
    }

    private interface Step {
        /** Null where no such operation fits. */
        Value add(Value from);
    }

    private static final List<OperandType> TYPES = List.of(
            OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED);
    private static final float SCALE = 0.05f;
    private static final float WEIGHT_SCALE = 0.02f;
    private static final int MOST_OPERATIONS = 12;
    private static final int MOST_ELEMENTS = 4000;
    private static final double MOST_SIZE = 50;

    private final Random random;
    private final OperandType type;
    private final ModelBuilder builder = new ModelBuilder();
    private final List<Value> values = new ArrayList<>();
    private final List<Value> unused = new ArrayList<>();
    private final List<OperationType> operations = new ArrayList<>();
    private final Model model;
    private final ByteBuffer[] inputs;

    /** @param seed the same number makes the same graph */
    RandomGraph(long seed) {
        random = new Random(seed);
        type = TYPES.get(random.nextInt(TYPES.size()));
        int count = 1 + random.nextInt(3);
        int[] shape = {1 + random.nextInt(2), 1 + random.nextInt(9), 1 + random.nextInt(9), 1 + random.nextInt(9)};
        int[] operands = new int[count];
        inputs = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            Value input = keep(tensor(shape), 1);
            operands[i] = input.operand;
            inputs[i] = data(input.descriptor);
        }
        List<Step> steps = steps();
        int wanted = 1 + random.nextInt(MOST_OPERATIONS);
        while (operations.size() < wanted || Arrays.stream(operands).anyMatch(this::isUnused)) {
            Value from = unused.isEmpty() || random.nextInt(3) == 0
                    ? values.get(random.nextInt(values.size()))
                    : unused.get(random.nextInt(unused.size()));
            Step step = from.bound > MOST_SIZE
                    ? x -> pointwise(OperationType.TANH, x)
                    : steps.get(random.nextInt(steps.size()));
            step.add(from);
        }
        builder.identifyInputsAndOutputs(
                operands, unused.stream().mapToInt(Value::operand).toArray());
        model = builder.finish();
    }

    Model model() {
        return model;
    }

    /** Direct buffers in the order of the model's inputs. */
    ByteBuffer[] inputs() {
        return inputs;
    }

    List<OperationType> operations() {
        return operations;
    }

    private boolean isUnused(int operand) {
        return unused.stream().anyMatch(v -> v.operand == operand);
    }

    private List<Step> steps() {
        List<Step> steps = new ArrayList<>(List.of(
                x -> pointwise(OperationType.RELU, x),
                x -> pointwise(OperationType.RELU6, x),
                x -> pointwise(OperationType.TANH, x),
                x -> pointwise(OperationType.LOGISTIC, x),
                x -> pointwise(OperationType.HARD_SWISH, x),
                x -> combined(OperationType.ADD, x),
                x -> combined(OperationType.SUB, x),
                x -> combined(OperationType.MUL, x),
                x -> combined(OperationType.MAXIMUM, x),
                x -> combined(OperationType.MINIMUM, x),
                x -> pooled(OperationType.MAX_POOL_2D, x),
                x -> pooled(OperationType.AVERAGE_POOL_2D, x),
                this::convolution,
                this::depthwise,
                this::softmax,
                this::concatenation,
                this::transposition,
                this::padding,
                this::slice,
                this::mean,
                this::reshape));
        if (type.isFloat()) {
            steps.add(x -> pointwise(OperationType.ABS, x));
            steps.add(x -> pointwise(OperationType.NEG, x));
            steps.add(x -> pointwise(OperationType.SIN, x));
        }
        return steps;
    }

    private Value pointwise(OperationType operation, Value x) {
        OperandDescriptor out = switch (operation) {
            case LOGISTIC -> tensor(1f / 256, lowest(), x.descriptor.dimensions());
            case TANH -> tensor(1f / 128, lowest() + 128, x.descriptor.dimensions());
            case RELU, RELU6 -> x.descriptor;
            default -> tensor(x.descriptor.dimensions());
        };
        boolean bounded = operation == OperationType.TANH
                || operation == OperationType.LOGISTIC
                || operation == OperationType.SIN;
        return apply(operation, out, bounded ? 1 : x.bound, x.operand);
    }

    /** With an earlier result of the same shape, or with a constant that is broadcast. */
    private Value combined(OperationType operation, Value x) {
        boolean extreme = operation == OperationType.MAXIMUM || operation == OperationType.MINIMUM;
        List<Value> fitting = values.stream()
                .filter(v -> Arrays.equals(v.descriptor.dimensions(), x.descriptor.dimensions()))
                .toList();
        Value y = random.nextBoolean()
                ? fitting.get(random.nextInt(fitting.size()))
                : constant(tensor(random.nextBoolean() ? new int[] {x.dim(3)} : new int[] {1, x.dim(1), 1, 1}));
        double bound = operation == OperationType.MUL ? x.bound * y.bound : x.bound + y.bound;
        OperandDescriptor out = tensor(x.descriptor.dimensions());
        return extreme
                ? apply(operation, out, Math.max(x.bound, y.bound), x.operand, y.operand)
                : apply(operation, out, bound, x.operand, y.operand, scalar(random.nextInt(4)));
    }

    private Value pooled(OperationType operation, Value x) {
        int width = 1 + random.nextInt(x.dim(2));
        int height = 1 + random.nextInt(x.dim(1));
        int stride = 1 + random.nextInt(2);
        int[] shape = {x.dim(0), (x.dim(1) - height + stride) / stride, (x.dim(2) - width + stride) / stride, x.dim(3)};
        OperandDescriptor out = x.descriptor.withDimensions(shape);
        return apply(
                operation,
                out,
                x.bound,
                x.operand,
                scalar(2),
                scalar(stride),
                scalar(stride),
                scalar(width),
                scalar(height),
                scalar(random.nextInt(4)));
    }

    private Value convolution(Value x) {
        int channels = 1 + random.nextInt(9);
        int size = 1 + random.nextInt(3);
        Value weights = constant(weights(channels, size, size, x.dim(3)));
        return convolution(OperationType.CONV_2D, x, weights, channels, size, x.dim(3));
    }

    private Value depthwise(Value x) {
        int multiplier = 1 + random.nextInt(2);
        int size = 1 + random.nextInt(3);
        int channels = x.dim(3) * multiplier;
        Value weights = constant(weights(1, size, size, channels));
        return convolution(OperationType.DEPTHWISE_CONV_2D, x, weights, channels, size, multiplier);
    }

    /** @param last the multiplier of a depthwise convolution, otherwise the channels of the input */
    private Value convolution(OperationType operation, Value x, Value weights, int channels, int size, int last) {
        int stride = 1 + random.nextInt(2);
        int[] shape = {x.dim(0), (x.dim(1) + stride - 1) / stride, (x.dim(2) + stride - 1) / stride, channels};
        OperandDescriptor biases = type.isFloat()
                ? tensor(channels)
                : OperandDescriptor.quantized(
                        OperandType.TENSOR_INT32, x.descriptor.scale() * WEIGHT_SCALE, 0, channels);
        boolean depthwise = operation == OperationType.DEPTHWISE_CONV_2D;
        List<Integer> operands = new ArrayList<>(List.of(
                x.operand, weights.operand, constant(biases).operand, scalar(1), scalar(stride), scalar(stride)));
        if (depthwise) {
            operands.add(scalar(last));
        }
        operands.add(scalar(random.nextInt(4)));
        double bound = 1 + x.bound * size * size * (depthwise ? 1 : last);
        return apply(
                operation,
                tensor(shape),
                bound,
                operands.stream().mapToInt(Integer::intValue).toArray());
    }

    private Value softmax(Value x) {
        return apply(
                OperationType.SOFTMAX,
                tensor(1f / 256, lowest(), x.descriptor.dimensions()),
                1,
                x.operand,
                real(1 + random.nextFloat()));
    }

    private Value concatenation(Value x) {
        int[] shape = x.descriptor.dimensions();
        shape[3] *= 2;
        return elements(shape) > MOST_ELEMENTS
                ? null
                : apply(OperationType.CONCATENATION, tensor(shape), x.bound, x.operand, x.operand, scalar(3));
    }

    private Value transposition(Value x) {
        int[] shape = {x.dim(0), x.dim(2), x.dim(3), x.dim(1)};
        return apply(
                OperationType.TRANSPOSE,
                x.descriptor.withDimensions(shape),
                x.bound,
                x.operand,
                ints(new int[] {4}, 0, 2, 3, 1));
    }

    private Value padding(Value x) {
        int before = random.nextInt(3);
        int after = random.nextInt(3);
        int[] shape = {x.dim(0), x.dim(1) + before, x.dim(2) + after, x.dim(3)};
        return elements(shape) > MOST_ELEMENTS
                ? null
                : apply(
                        OperationType.PAD,
                        x.descriptor.withDimensions(shape),
                        x.bound,
                        x.operand,
                        ints(new int[] {4, 2}, 0, 0, before, 0, 0, after, 0, 0));
    }

    private Value slice(Value x) {
        int row = random.nextInt(x.dim(1));
        int channel = random.nextInt(x.dim(3));
        int[] shape = {x.dim(0), x.dim(1) - row, x.dim(2), x.dim(3) - channel};
        return apply(
                OperationType.SLICE,
                x.descriptor.withDimensions(shape),
                x.bound,
                x.operand,
                ints(new int[] {4}, 0, row, 0, channel),
                ints(new int[] {4}, shape));
    }

    private Value mean(Value x) {
        int[] shape = {x.dim(0), 1, 1, x.dim(3)};
        return apply(
                OperationType.MEAN,
                x.descriptor.withDimensions(shape),
                x.bound,
                x.operand,
                ints(new int[] {2}, 1, 2),
                scalar(1));
    }

    private Value reshape(Value x) {
        int[] shape = {x.dim(0), x.dim(1) * x.dim(2), 1, x.dim(3)};
        return apply(
                OperationType.RESHAPE,
                x.descriptor.withDimensions(shape),
                x.bound,
                x.operand,
                ints(new int[] {4}, shape));
    }

    private Value apply(OperationType operation, OperandDescriptor out, double bound, int... operands) {
        Value result = keep(out, bound);
        unused.removeIf(v -> Arrays.stream(operands).anyMatch(o -> o == v.operand));
        builder.addOperation(operation, operands, new int[] {result.operand});
        operations.add(operation);
        return result;
    }

    private Value keep(OperandDescriptor descriptor, double bound) {
        Value value = new Value(builder.addOperand(descriptor), descriptor, bound);
        values.add(value);
        unused.add(value);
        return value;
    }

    private Value constant(OperandDescriptor descriptor) {
        int operand = builder.addOperand(descriptor);
        builder.setOperandValue(operand, data(descriptor));
        return new Value(operand, descriptor, 1);
    }

    private int lowest() {
        return type == OperandType.TENSOR_QUANT8_ASYMM_SIGNED ? -128 : 0;
    }

    private OperandDescriptor tensor(int... shape) {
        return tensor(SCALE, lowest() + 117, shape);
    }

    private OperandDescriptor tensor(float scale, int zeroPoint, int... shape) {
        return type.isFloat()
                ? OperandDescriptor.tensor(type, shape)
                : OperandDescriptor.quantized(type, scale, zeroPoint, shape);
    }

    private OperandDescriptor weights(int... shape) {
        return tensor(WEIGHT_SCALE, lowest() + 130, shape);
    }

    private int scalar(int value) {
        int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(operand, value);
        return operand;
    }

    private int real(float value) {
        int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.FLOAT32));
        builder.setOperandValue(operand, value);
        return operand;
    }

    private int ints(int[] shape, int... numbers) {
        int operand = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, shape));
        builder.setOperandValue(operand, numbers);
        return operand;
    }

    private static long elements(int[] shape) {
        return Arrays.stream(shape).asLongStream().reduce(1, (a, b) -> a * b);
    }

    /** Floats within [-1, 1), bytes, or numbers within 1000 of zero. */
    private ByteBuffer data(OperandDescriptor of) {
        int count = (int) of.elementCount();
        ByteBuffer data = ByteBuffer.allocateDirect((int) of.byteCount()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            switch (of.type()) {
                case TENSOR_FLOAT32 -> data.putFloat(i * Float.BYTES, random.nextFloat() * 2 - 1);
                case TENSOR_INT32 -> data.putInt(i * Integer.BYTES, random.nextInt(2000) - 1000);
                default -> data.put(i, (byte) random.nextInt());
            }
        }
        return data;
    }
}
