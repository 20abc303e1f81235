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
        1, 4, 2, 1, 1, 1, 3, 2, 0, 0, 3, 2, 0, 0, 1, 0, 0, 0, 3, 2, 0, 0, 1, 2, 12, 2, 0, 4, 0, 3, 1, 1, 2, 1, 1, 1, 2,
        0, 4, 4, 1, 0, 1, 2, 3, 0, 3,
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
        NnapiException e =
                assertThrows(NnapiException.class, () -> new SerializedModel(words, weights()).decode(false));
        assertTrue(e.getMessage().contains("numbered memory"), e.getMessage());
    }

    @Test
    void refusesBuffersOutOfRange() {
        for (int[] change : new int[][] {{37, 1}, {37, -1}, {38, 5}, {38, -4}, {39, -1}, {39, 8}}) {
            int[] words = ADD_RELU.clone();
            words[change[0]] = change[1];
            assertThrows(
                    NnapiException.class,
                    () -> new SerializedModel(words, weights()).decode(false),
                    Arrays.toString(change));
        }
    }

    @Test
    void truncatedAndLengthenedWordsAreRefused() {
        for (int length = 0; length < ADD_RELU.length; length++) {
            int[] words = Arrays.copyOf(ADD_RELU, length);
            assertThrows(
                    NnapiException.class, () -> new SerializedModel(words, weights()).decode(false), length + " words");
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

    /** {@code condition ? relu(x) : relu(x + 1)}, with a weight in one branch. */
    private static int[] choice() {
        SerializedModelWriter relu = new SerializedModelWriter();
        relu.operand(OperandType.TENSOR_FLOAT32, new int[] {1, 2}, 0, 0);
        relu.operand(OperandType.TENSOR_FLOAT32, new int[] {1, 2}, 0, 0);
        relu.operation(OperationType.RELU, new int[] {0}, new int[] {1});
        SerializedModelWriter writer = new SerializedModelWriter();
        writer.operand(OperandType.TENSOR_BOOL8, new int[] {1}, 0, 0);
        writer.operand(OperandType.SUBGRAPH, new int[0], 0, 0);
        writer.operand(OperandType.SUBGRAPH, new int[0], 0, 0);
        writer.operand(OperandType.TENSOR_FLOAT32, new int[] {1, 2}, 0, 0);
        writer.operand(OperandType.TENSOR_FLOAT32, new int[] {1, 2}, 0, 0);
        writer.operation(OperationType.IF, new int[] {0, 1, 2, 3}, new int[] {4});
        writer.model(1, relu.words(new int[] {0}, new int[] {1}));
        writer.model(2, ADD_RELU);
        return writer.words(new int[] {0, 3}, new int[] {4});
    }

    /** A convolution whose weights have a scale a channel. */
    private static int[] channels() {
        SerializedModelWriter writer = new SerializedModelWriter();
        writer.operand(OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL, new int[] {2, 1}, 0, 0);
        writer.operand(OperandType.TENSOR_FLOAT32, new int[] {2, 1}, 0, 0);
        writer.value(0, 0, 0, 2);
        writer.operation(OperationType.DEQUANTIZE, new int[] {0}, new int[] {1});
        writer.channels(0, new ChannelQuantization(0, new float[] {0.5f, 0.25f}));
        return writer.words(new int[0], new int[] {1});
    }

    @Test
    void ownFormHasReferencedModelsAndScalesAChannel() {
        SerializedModel choice = new SerializedModel(choice(), weights());
        assertTrue(choice.isOwnForm());
        Model model = choice.decode(false);
        assertEquals(
                OperationType.RELU,
                model.operand(1).referenced().operations().get(0).type());
        assertEquals(1f, model.operand(2).referenced().operand(1).value().getFloat());
        assertEquals(FeatureLevel.V1_3, model.featureLevelNeed().level());
        assertThrows(NnapiException.class, () -> choice.dimensionOffset(0));
        Model scaled = new SerializedModel(channels(), weights()).decode(false);
        assertEquals(
                new ChannelQuantization(0, new float[] {0.5f, 0.25f}),
                scaled.operand(0).descriptor().channelQuantization());
    }

    @Test
    void damageOfTheOwnFormIsRefusedOrHarmless() {
        Random random = new Random(2);
        int refused = 0;
        for (int round = 0; round < 10_000; round++) {
            int[] words = round % 2 == 0 ? choice() : channels();
            int at = 1 + random.nextInt(words.length - 1);
            words[at] = random.nextBoolean() ? words[at] + random.nextInt(5) - 2 : random.nextInt();
            try {
                new SerializedModel(words, weights()).decode(false);
            } catch (NnapiException e) {
                refused++;
            }
        }
        assertTrue(refused > 3_000, refused + " refused");
        for (int length = 1; length < choice().length; length++) {
            int[] words = Arrays.copyOf(choice(), length);
            assertThrows(
                    NnapiException.class, () -> new SerializedModel(words, weights()).decode(false), length + " words");
        }
    }

    @Test
    void modelsInModelsEndSomewhere() {
        int[] words = ADD_RELU;
        for (int depth = 0; depth < 100; depth++) {
            SerializedModelWriter writer = new SerializedModelWriter();
            writer.operand(OperandType.TENSOR_BOOL8, new int[] {1}, 0, 0);
            writer.operand(OperandType.SUBGRAPH, new int[0], 0, 0);
            writer.operand(OperandType.TENSOR_FLOAT32, new int[] {1, 2}, 0, 0);
            writer.operand(OperandType.TENSOR_FLOAT32, new int[] {1, 2}, 0, 0);
            writer.operation(OperationType.IF, new int[] {0, 1, 1, 2}, new int[] {3});
            writer.model(1, words);
            words = writer.words(new int[] {0, 2}, new int[] {3});
        }
        int[] deep = words;
        NnapiException e = assertThrows(NnapiException.class, () -> new SerializedModel(deep, weights()).decode(false));
        assertTrue(e.getMessage().contains("deep"), e.getMessage());
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

    /** The numbers of extensions differ from process to process. */
    @Test
    void refusesWhatExtensionsDefine() {
        ExtensionType pair = new ExtensionType("com.example.pairs", 7, true, 8);
        ModelBuilder ofType = new ModelBuilder();
        int x = ofType.addOperand(OperandDescriptor.ofExtension(pair, 2));
        int y = ofType.addOperand(OperandDescriptor.ofExtension(pair, 2));
        ofType.addOperation(new ExtensionCode("com.example.pairs", 0), new int[] {x}, new int[] {y});
        ofType.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        Model withType = ofType.finish();
        assertTrue(assertThrows(NnapiException.class, () -> SerializedModel.encode(withType))
                .getMessage()
                .contains("operand 0"));
        ModelBuilder ofOperation = new ModelBuilder();
        x = ofOperation.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2));
        y = ofOperation.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2));
        ofOperation.addOperation(new ExtensionCode("com.example.pairs", 0), new int[] {x}, new int[] {y});
        ofOperation.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        Model withOperation = ofOperation.finish();
        assertTrue(assertThrows(NnapiException.class, () -> SerializedModel.encode(withOperation))
                .getMessage()
                .contains("com.example.pairs"));
    }
}
