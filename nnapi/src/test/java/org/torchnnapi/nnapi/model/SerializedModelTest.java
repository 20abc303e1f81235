package org.torchnnapi.nnapi.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SerializedModelTest {
    /** {@code relu(x + 1)} over [1, 2], as PyTorch's serializer writes it. */
    private static final int[] ADD_RELU = {
        1, 4, 2, 1, 1, 1,
        3, 2, 0, 0, 3, 2, 0, 0, 1, 0, 0, 0, 3, 2, 0, 0,
        1, 2, 12, 2, 0, 4,
        0, 3, 1,
        1, 2, 1, 1, 1, 2,
        0, 4, 4, 1,
        0, 1, 2, 3,
        0, 3,
    };

    private static List<ByteBuffer> weights() {
        ByteBuffer buffer = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putFloat(4, 1f);
        return List.of(buffer);
    }

    @Test
    void decodesWhatPyTorchWrites() {
        Model model = new SerializedModel(ADD_RELU, weights()).decode(true);
        assertEquals(OperationType.ADD, model.operations().get(0).type());
        assertArrayEquals(new int[] {1, 2}, model.input(0).descriptor().dimensions());
        assertEquals(1f, model.operand(1).value().getFloat());
        assertEquals(Lifetime.CONSTANT_REFERENCE, model.operand(1).lifetime());
        assertTrue(model.isRelaxed());
    }

    @Test
    void encodesWhatItDecoded() {
        Model model = new SerializedModel(ADD_RELU, weights()).decode(false);
        SerializedModel encoded = SerializedModel.encode(model);
        int[] expected = ADD_RELU.clone();
        expected[38] = 0;
        assertArrayEquals(expected, encoded.words(), "only the buffer's offset differs: a buffer holds one value");
        assertEquals(1f, encoded.decode(false).operand(1).value().getFloat());
    }

    @Test
    void knowsWhereDimensionsAre() {
        SerializedModel model = new SerializedModel(ADD_RELU, weights());
        assertEquals(31, model.dimensionOffset(0));
        assertEquals(35, model.dimensionOffset(3));
        assertThrows(NnapiException.class, () -> model.dimensionOffset(4));
    }

    @Test
    void refusesNumberedMemory() {
        int[] words = ADD_RELU.clone();
        words[23] = 3;
        NnapiException e = assertThrows(NnapiException.class, () -> new SerializedModel(words, weights()).decode(false));
        assertTrue(e.getMessage().contains("numbered memory"), e.getMessage());
    }

    @Test
    void refusesBuffersOutOfRange() {
        for (int[] change : new int[][] {{37, 1}, {37, -1}, {38, 5}, {38, -4}, {39, -1}, {39, 8}}) {
            int[] words = ADD_RELU.clone();
            words[change[0]] = change[1];
            assertThrows(NnapiException.class, () -> new SerializedModel(words, weights()).decode(false), Arrays.toString(change));
        }
    }

    @Test
    void truncatedAndLengthenedWordsAreRefused() {
        for (int length = 0; length < ADD_RELU.length; length++) {
            int[] words = Arrays.copyOf(ADD_RELU, length);
            assertThrows(NnapiException.class, () -> new SerializedModel(words, weights()).decode(false), length + " words");
        }
        int[] longer = Arrays.copyOf(ADD_RELU, ADD_RELU.length + 1);
        assertThrows(NnapiException.class, () -> new SerializedModel(longer, weights()).decode(false));
    }

    @Test
    void anyDamagedWordIsRefusedOrHarmless() {
        Random random = new Random(1);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            int[] words = ADD_RELU.clone();
            int at = random.nextInt(words.length);
            words[at] = switch (random.nextInt(4)) {
                case 0 -> random.nextInt();
                case 1 -> words[at] + 1;
                case 2 -> words[at] - 1;
                default -> random.nextBoolean() ? Integer.MAX_VALUE : Integer.MIN_VALUE;
            };
            try {
                new SerializedModel(words, weights()).decode(false);
            } catch (NnapiException e) {
                refused++;
            }
        }
        assertTrue(refused > 10_000, refused + " refused");
    }

    @Test
    void refusesToEncodeWhatTheFormCannotSay() {
        ModelBuilder builder = new ModelBuilder();
        int input = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        int other = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        int activation = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        int output = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        int unused = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        builder.setOperandValue(activation, 0);
        builder.setOperandValue(unused, (ByteBuffer) null);
        builder.addOperation(OperationType.ADD, new int[] {input, other, activation}, new int[] {output});
        builder.identifyInputsAndOutputs(new int[] {input, other}, new int[] {output});
        Model model = builder.finish();
        assertThrows(NnapiException.class, () -> SerializedModel.encode(model));
    }
}
