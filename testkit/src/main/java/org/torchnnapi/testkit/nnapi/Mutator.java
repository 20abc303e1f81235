package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.testkit.nnapi.TestCase.TestModel;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperation;

/** Makes one change to a legal test, of the kind a careless or hostile caller makes. */
final class Mutator {
    /** What is changed. */
    enum Kind {
        OPERAND_TYPE,
        RANK,
        DIMENSION,
        SCALE,
        ZERO_POINT,
        LIFETIME,
        VALUE,
        DROP_INPUT,
        ADD_INPUT,
        DROP_OUTPUT,
        ADD_OUTPUT,
        SWAP_INPUTS,
        INPUT_INDEX,
        OUTPUT_INDEX,
        OPERATION_TYPE,
        CYCLE,
        MODEL_INPUTS,
        MODEL_OUTPUTS,
        OPERATION_ORDER
    }

    private static final int[] ODD_NUMBERS = {
        0, 1, -1, 2, 3, 7, 255, 65_536, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE / 2 + 1
    };
    private static final float[] ODD_SCALES = {
        0f, -1f, Float.NaN, Float.POSITIVE_INFINITY, Float.MIN_VALUE, Float.MAX_VALUE, 0.5f
    };

    private final Random random;

    Mutator(long seed) {
        random = new Random(seed);
    }

    /** The test with one change in its main model; may, by chance, be equal to the original. */
    TestCase mutate(TestCase test, Kind kind) {
        TestModel main = test.main();
        TestModel changed = switch (kind) {
            case OPERAND_TYPE, RANK, DIMENSION, SCALE, ZERO_POINT, LIFETIME, VALUE -> changeOperand(main, kind);
            case DROP_INPUT,
                    ADD_INPUT,
                    SWAP_INPUTS,
                    INPUT_INDEX,
                    DROP_OUTPUT,
                    ADD_OUTPUT,
                    OUTPUT_INDEX,
                    OPERATION_TYPE,
                    CYCLE -> changeOperation(main, kind);
            case MODEL_INPUTS ->
                new TestModel(main.operands(), main.operations(), changeList(main.inputs(), main), main.outputs());
            case MODEL_OUTPUTS ->
                new TestModel(main.operands(), main.operations(), main.inputs(), changeList(main.outputs(), main));
            case OPERATION_ORDER -> {
                List<TestOperation> shuffled = new ArrayList<>(main.operations());
                Collections.shuffle(shuffled, random);
                yield new TestModel(main.operands(), shuffled, main.inputs(), main.outputs());
            }
        };
        return new TestCase(
                test.name() + " with another " + kind,
                test.minSupportedVersion(),
                test.relaxed(),
                false,
                test.multinomialTolerance(),
                changed,
                test.referenced());
    }

    private int odd() {
        return ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)];
    }

    private TestModel changeOperand(TestModel model, Kind kind) {
        List<TestOperand> operands = new ArrayList<>(model.operands());
        int index = random.nextInt(operands.size());
        operands.set(index, changed(operands.get(index), kind));
        return new TestModel(operands, model.operations(), model.inputs(), model.outputs());
    }

    private TestOperand changed(TestOperand operand, Kind kind) {
        OperandDescriptor d = operand.descriptor();
        return switch (kind) {
            case OPERAND_TYPE ->
                operand.with(
                        new OperandDescriptor(
                                OperandType.ofCode(
                                        random.nextInt(OperandType.standard().size())),
                                d.dimensions(),
                                d.scale(),
                                d.zeroPoint(),
                                d.channelQuantization()),
                        operand.data());
            case RANK -> operand.with(d.withDimensions(otherRank(d.dimensions())), operand.data());
            case DIMENSION -> operand.with(d.withDimensions(otherDimension(d.dimensions())), operand.data());
            case SCALE ->
                operand.with(
                        new OperandDescriptor(
                                d.type(),
                                d.dimensions(),
                                ODD_SCALES[random.nextInt(ODD_SCALES.length)],
                                d.zeroPoint(),
                                d.channelQuantization()),
                        operand.data());
            case ZERO_POINT ->
                operand.with(
                        new OperandDescriptor(d.type(), d.dimensions(), d.scale(), odd(), d.channelQuantization()),
                        operand.data());
            case LIFETIME ->
                new TestOperand(
                        d,
                        Lifetime.values()[random.nextInt(Lifetime.values().length)],
                        operand.ignored(),
                        operand.data() == null
                                ? ByteBuffer.allocate(Math.max(4, operand.expectedBytes()))
                                        .order(ByteOrder.LITTLE_ENDIAN)
                                : operand.data());
            default -> operand.with(d, otherValue(operand));
        };
    }

    private int[] otherRank(int[] dimensions) {
        int[] other = Arrays.copyOf(dimensions, random.nextInt(7));
        for (int i = dimensions.length; i < other.length; i++) {
            other[i] = 1 + random.nextInt(2);
        }
        return other;
    }

    private int[] otherDimension(int[] dimensions) {
        if (dimensions.length > 0) {
            int axis = random.nextInt(dimensions.length);
            dimensions[axis] = random.nextBoolean() ? odd() : dimensions[axis] + random.nextInt(5) - 2;
        }
        return dimensions;
    }

    private ByteBuffer otherValue(TestOperand operand) {
        ByteBuffer data = operand.data();
        if (data == null || data.capacity() == 0) {
            return data;
        }
        ByteBuffer copy = ByteBuffer.allocate(data.capacity())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(data.duplicate().clear());
        if (copy.capacity() >= Integer.BYTES && random.nextInt(4) > 0) {
            copy.putInt(random.nextInt(copy.capacity() / Integer.BYTES) * Integer.BYTES, odd());
        } else {
            copy.put(random.nextInt(copy.capacity()), (byte) random.nextInt());
        }
        return copy.clear();
    }

    private TestModel changeOperation(TestModel model, Kind kind) {
        List<TestOperation> operations = new ArrayList<>(model.operations());
        int number = random.nextInt(operations.size());
        TestOperation operation = operations.get(number);
        int[] in = operation.inputs().clone();
        int[] out = operation.outputs().clone();
        OperationType type = operation.type();
        int some = random.nextInt(model.operands().size());
        switch (kind) {
            case DROP_INPUT -> in = without(in);
            case ADD_INPUT -> in = with(in, some);
            case DROP_OUTPUT -> out = without(out);
            case ADD_OUTPUT -> out = with(out, some);
            case SWAP_INPUTS -> swap(in);
            case INPUT_INDEX -> replace(in, random.nextBoolean() ? some : odd());
            case OUTPUT_INDEX -> replace(out, random.nextBoolean() ? some : odd());
            case OPERATION_TYPE ->
                type = OperationType.ofCode(
                        random.nextInt(OperationType.standard().size()));
            default -> replace(in, out.length == 0 ? some : out[random.nextInt(out.length)]);
        }
        operations.set(number, new TestOperation(type, in, out));
        return new TestModel(model.operands(), operations, model.inputs(), model.outputs());
    }

    private int[] changeList(int[] list, TestModel model) {
        int[] copy = list.clone();
        int some = random.nextInt(model.operands().size());
        switch (random.nextInt(4)) {
            case 0 -> copy = without(copy);
            case 1 -> copy = with(copy, some);
            case 2 -> replace(copy, odd());
            default -> replace(copy, some);
        }
        return copy;
    }

    private int[] without(int[] list) {
        if (list.length == 0) {
            return list;
        }
        int gone = random.nextInt(list.length);
        int[] shorter = new int[list.length - 1];
        System.arraycopy(list, 0, shorter, 0, gone);
        System.arraycopy(list, gone + 1, shorter, gone, shorter.length - gone);
        return shorter;
    }

    private static int[] with(int[] list, int item) {
        int[] longer = Arrays.copyOf(list, list.length + 1);
        longer[list.length] = item;
        return longer;
    }

    private void swap(int[] list) {
        if (list.length > 1) {
            int a = random.nextInt(list.length);
            int b = random.nextInt(list.length);
            int kept = list[a];
            list[a] = list[b];
            list[b] = kept;
        }
    }

    private void replace(int[] list, int item) {
        if (list.length > 0) {
            list[random.nextInt(list.length)] = item;
        }
    }
}
