package org.torchnnapi.nnapi.model;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Writes the words of a {@link SerializedModel}, whoever has the model: operands, values and operations in their order,
 * then inputs and outputs. Not thread-safe.
 */
public final class SerializedModelWriter {
    /** Words that become more. */
    private static final class Words {
        private int[] words = new int[64];
        private int count;

        void add(int... more) {
            if (count + more.length > words.length) {
                words = Arrays.copyOf(words, Math.max(2 * words.length, count + more.length));
            }
            System.arraycopy(more, 0, words, count, more.length);
            count += more.length;
        }

        int[] all() {
            return Arrays.copyOf(words, count);
        }
    }

    private final Words operands = new Words();
    private final Words values = new Words();
    private final Words operations = new Words();
    private final Words dimensions = new Words();
    private final Words stored = new Words();
    private final Words arguments = new Words();
    private final Words channels = new Words();
    private final Words models = new Words();
    private int channelCount;
    private int modelCount;
    private int operandCount;
    private int valueCount;
    private int operationCount;

    public SerializedModelWriter() {}

    /** Adds an operand. Dimensions of 0 are open. */
    public void operand(OperandType type, int[] shape, float scale, int zeroPoint) {
        operands.add(type.code(), shape.length, Float.floatToRawIntBits(scale), zeroPoint);
        dimensions.add(shape);
        operandCount++;
    }

    /** Adds a value that is stored in place, from position to limit. */
    public void value(int operand, ByteBuffer bytes) {
        int length = bytes.remaining();
        values.add(operand, SerializedModel.IMMEDIATE, length);
        ByteBuffer padded = ByteBuffer.allocate(4 * SerializedModel.storedWords(length))
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes.duplicate());
        ((Buffer) padded).clear();
        int[] words = new int[padded.capacity() / Integer.BYTES];
        padded.asIntBuffer().get(words);
        stored.add(words);
        valueCount++;
    }

    /** Adds a value that is a part of a numbered buffer, by offset and length in bytes. */
    public void value(int operand, int buffer, int offset, int length) {
        values.add(operand, SerializedModel.NUMBERED_BUFFER, SerializedModel.BUFFER_REFERENCE_BYTES);
        stored.add(buffer, offset, length);
        valueCount++;
    }

    /** Gives an operand a scale a channel; the words are then of this library's own form. */
    public void channels(int operand, ChannelQuantization quantization) {
        channels.add(operand, quantization.channelDim(), quantization.channels());
        for (int i = 0; i < quantization.channels(); i++) {
            channels.add(Float.floatToRawIntBits(quantization.scale(i)));
        }
        channelCount++;
    }

    /** Lets an operand stand for a model, by its words; the words are then of this library's own form. */
    public void model(int operand, int[] words) {
        models.add(operand, words.length);
        models.add(words);
        modelCount++;
    }

    /** Adds an operation. */
    public void operation(OperationType type, int[] inputs, int[] outputs) {
        operations.add(type.code(), inputs.length, outputs.length);
        arguments.add(inputs);
        arguments.add(outputs);
        operationCount++;
    }

    /** The words of the model with these inputs and outputs. */
    public int[] words(int[] inputs, int[] outputs) {
        Words all = new Words();
        all.add(SerializedModel.VERSION, operandCount, valueCount, operationCount, inputs.length, outputs.length);
        for (Words part : new Words[] {operands, values, operations, dimensions, stored, arguments}) {
            all.add(part.all());
        }
        all.add(inputs);
        all.add(outputs);
        if (channelCount == 0 && modelCount == 0) {
            return all.all();
        }
        Words own = new Words();
        own.add(SerializedModel.OWN_VERSION, all.count);
        own.add(all.all());
        own.add(channelCount);
        own.add(channels.all());
        own.add(modelCount);
        own.add(models.all());
        return own.all();
    }
}
