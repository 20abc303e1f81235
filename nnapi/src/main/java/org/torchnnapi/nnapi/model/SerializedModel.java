package org.torchnnapi.nnapi.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * PyTorch's serialized form of an NNAPI model: a list of 32-bit words, and numbered buffers for the weights. Facts from
 * PyTorch 1.13's {@code torch/backends/_nnapi/serializer.py} and {@code aten/src/ATen/nnapi/nnapi_model_loader.cpp}.
 *
 * <p>The words are, in this order:
 *
 * <ol>
 *   <li>version (1), number of operands, values, operations, inputs, outputs;
 *   <li>an operand: type, number of dimensions, scale (float bits), zero point;
 *   <li>a value: operand index, kind of source, length in bytes of what is stored for it;
 *   <li>an operation: type, number of inputs, number of outputs;
 *   <li>the dimensions of all operands; what is stored for all values, each padded to whole words; the inputs and
 *       outputs of all operations; the inputs and then the outputs of the model.
 * </ol>
 *
 * <p>What that form cannot say stands in one of this library's own, whose first word, {@link #OWN_VERSION}, PyTorch's
 * loader refuses. After it:
 *
 * <ol>
 *   <li>the number of words of the form above, and those words;
 *   <li>the number of operands with a scale a channel; for each its operand index, dimension, number of scales and
 *       scales (float bits);
 *   <li>the number of referenced models; for each the operand that stands for it, its number of words, and those, in
 *       either form. Its buffers are those of the whole.
 * </ol>
 *
 * @param words the serialized model
 * @param buffers what values of numbered buffers refer to
 */
public record SerializedModel(int[] words, List<ByteBuffer> buffers) {
    /** A value's bytes are stored in place. */
    static final int IMMEDIATE = 0;
    /** Stored are a buffer's number, the offset and the length of the value. */
    static final int NUMBERED_BUFFER = 2;
    /** Like a numbered buffer, in memory objects that PyTorch never defined. */
    private static final int NUMBERED_MEMORY = 3;

    static final int VERSION = 1;
    /** The first word of this library's own form: "TN" and a version. */
    static final int OWN_VERSION = 0x544E0001;
    /** As deep as referenced models may be. */
    private static final int MAX_DEPTH = 64;

    private static final int HEADER_WORDS = 6;
    private static final int OPERAND_WORDS = 4;
    private static final int VALUE_WORDS = 3;
    private static final int OPERATION_WORDS = 3;
    static final int BUFFER_REFERENCE_BYTES = 12;
    /** PyTorch's loader takes no larger counts. */
    private static final int MAX_COUNT = 1 << 24;

    public SerializedModel {
        words = words.clone();
        buffers = List.copyOf(buffers);
    }

    @Override
    public int[] words() {
        return words.clone();
    }

    /**
     * The position among the words of an operand's first dimension, for whoever fills in shapes later.
     *
     * @throws NnapiException BAD_DATA if there is no such operand
     */
    public int dimensionOffset(int operand) {
        requireFormOfPyTorch();
        Header header = Header.read(words);
        if (operand < 0 || operand >= header.operands) {
            throw bad("operand", operand, "0 to " + (header.operands - 1));
        }
        int offset = header.dimensionStart();
        for (int i = 0; i < operand; i++) {
            offset += words[HEADER_WORDS + i * OPERAND_WORDS + 1];
        }
        return offset;
    }

    /** Whether the model is in this library's own form, which PyTorch's loader refuses. */
    public boolean isOwnForm() {
        return words.length > 0 && words[0] == OWN_VERSION;
    }

    private void requireFormOfPyTorch() {
        if (isOwnForm()) {
            throw bad("version", OWN_VERSION, VERSION + ", the form of models whose sizes are open");
        }
    }

    /**
     * Builds the model; weights are not copied, so the buffers must stay as they are.
     *
     * @param relaxed whether float32 may be computed as float16
     * @throws NnapiException BAD_DATA naming the place, value and rule if the words are damaged or the model is not
     *     legal
     */
    public Model decode(boolean relaxed) {
        return isOwnForm() ? decodeOwn(words, relaxed, 1) : decode(words, relaxed, Map.of(), Map.of());
    }

    private Model decodeOwn(int[] own, boolean relaxed, int depth) {
        if (depth > MAX_DEPTH) {
            throw bad("referenced models", depth + " deep", "<= " + MAX_DEPTH);
        }
        Cursor cursor = new Cursor(own, 1);
        int[] main = cursor.take(cursor.take(1, "length of the model")[0], "the model");
        Map<Integer, ChannelQuantization> channels = new HashMap<>();
        int count = cursor.take(1, "number of operands with channels")[0];
        for (int i = 0; i < count; i++) {
            int[] head = cursor.take(3, "operand with channels " + i);
            int[] bits = cursor.take(head[2], "scales of operand " + head[0]);
            float[] scales = new float[bits.length];
            for (int c = 0; c < scales.length; c++) {
                scales[c] = Float.intBitsToFloat(bits[c]);
            }
            channels.put(head[0], new ChannelQuantization(head[1], scales));
        }
        Map<Integer, Model> models = new HashMap<>();
        int modelCount = cursor.take(1, "number of referenced models")[0];
        for (int i = 0; i < modelCount; i++) {
            int[] head = cursor.take(2, "referenced model " + i);
            int[] inner = cursor.take(head[1], "model of operand " + head[0]);
            boolean innerIsOwn = inner.length > 0 && inner[0] == OWN_VERSION;
            models.put(
                    head[0],
                    innerIsOwn ? decodeOwn(inner, relaxed, depth + 1) : decode(inner, relaxed, Map.of(), Map.of()));
        }
        cursor.requireEnd();
        return decode(main, relaxed, channels, models);
    }

    private Model decode(
            int[] words, boolean relaxed, Map<Integer, ChannelQuantization> channels, Map<Integer, Model> models) {
        Header header = Header.read(words);
        ModelBuilder builder = new ModelBuilder();
        Cursor cursor = new Cursor(words, header.dimensionStart());
        for (int i = 0; i < header.operands; i++) {
            int at = HEADER_WORDS + i * OPERAND_WORDS;
            int[] dimensions = cursor.take(words[at + 1], "dimensions of operand " + i);
            float scale = Float.intBitsToFloat(words[at + 2]);
            builder.addOperand(new OperandDescriptor(
                    OperandType.ofCode(words[at]), dimensions, scale, words[at + 3], channels.get(i)));
        }
        models.forEach(builder::setOperandValueFromModel);
        for (int i = 0; i < header.values; i++) {
            int at = header.valueStart() + i * VALUE_WORDS;
            decodeValue(builder, words[at], words[at + 1], words[at + 2], cursor);
        }
        for (int i = 0; i < header.operations; i++) {
            int at = header.operationStart() + i * OPERATION_WORDS;
            int[] inputs = cursor.take(words[at + 1], "inputs of operation " + i);
            int[] outputs = cursor.take(words[at + 2], "outputs of operation " + i);
            builder.addOperation(OperationType.ofCode(words[at]), inputs, outputs);
        }
        int[] inputs = cursor.take(header.inputs, "inputs of the model");
        int[] outputs = cursor.take(header.outputs, "outputs of the model");
        cursor.requireEnd();
        builder.identifyInputsAndOutputs(inputs, outputs);
        builder.relaxComputationFloat32toFloat16(relaxed);
        return builder.finish();
    }

    private void decodeValue(ModelBuilder builder, int operand, int source, int length, Cursor cursor) {
        if (length < 0) {
            throw bad("stored length of the value of operand " + operand, length, ">= 0");
        }
        int[] stored = cursor.take(storedWords(length), "value of operand " + operand);
        if (source == IMMEDIATE) {
            ByteBuffer bytes = ByteBuffer.allocate(4 * stored.length).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asIntBuffer().put(stored);
            builder.setOperandValue(operand, Buffers.slice(bytes, 0, length));
        } else if (source == NUMBERED_BUFFER) {
            if (length != BUFFER_REFERENCE_BYTES) {
                throw bad(
                        "stored length of the value of operand " + operand,
                        length,
                        BUFFER_REFERENCE_BYTES + ": buffer, offset, length");
            }
            if (stored[0] < 0 || stored[0] >= buffers.size()) {
                throw bad("buffer of operand " + operand, stored[0], "0 to " + (buffers.size() - 1));
            }
            builder.setOperandValueFromMemory(
                    operand,
                    buffers.get(stored[0]).slice(),
                    Integer.toUnsignedLong(stored[1]),
                    Integer.toUnsignedLong(stored[2]));
        } else {
            throw bad(
                    "value source of operand " + operand,
                    source == NUMBERED_MEMORY ? "numbered memory (3)" : source,
                    "0 (immediate) or 2 (numbered buffer)");
        }
    }

    /**
     * Serializes a model: copied constants in place, constants by reference as numbered buffers.
     *
     * @throws NnapiException BAD_DATA for what the form cannot say: omitted operands, per-channel scales, referenced
     *     models, types and operations of extensions
     */
    public static SerializedModel encode(Model model) {
        SerializedModelWriter writer = new SerializedModelWriter();
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < model.operands().size(); i++) {
            Operand operand = model.operand(i);
            requireExpressible(operand, i);
            OperandDescriptor descriptor = operand.descriptor();
            writer.operand(descriptor.type(), descriptor.dimensions(), descriptor.scale(), descriptor.zeroPoint());
            if (operand.lifetime() == Lifetime.CONSTANT_REFERENCE) {
                writer.value(i, buffers.size(), 0, operand.value().remaining());
                buffers.add(operand.value());
            } else if (operand.lifetime().isConstant()) {
                writer.value(i, operand.value());
            }
        }
        for (Operation operation : model.operations()) {
            if (operation.extension() != null) {
                throw bad("operation", operation.name(), "no operation of an extension in the serialized form");
            }
            writer.operation(operation.type(), operation.inputs(), operation.outputs());
        }
        return new SerializedModel(writer.words(model.inputs(), model.outputs()), buffers);
    }

    private static void requireExpressible(Operand operand, int index) {
        if (operand.lifetime() == Lifetime.NO_VALUE
                || operand.lifetime() == Lifetime.SUBGRAPH
                || operand.descriptor().channelQuantization() != null
                || operand.descriptor().extension() != null) {
            throw bad(
                    "operand " + index,
                    operand,
                    "no omitted operand, referenced model, per-channel scales or type of an extension in the "
                            + "serialized form");
        }
    }

    static int storedWords(int bytes) {
        return (int) ((bytes + 3L) / 4);
    }

    private static NnapiException bad(String what, Object found, String expected) {
        return new NnapiException(
                ResultCode.BAD_DATA, "serialized model: " + what + ": " + found + " (expected: " + expected + ")");
    }

    private record Header(int operands, int values, int operations, int inputs, int outputs) {
        static Header read(int[] words) {
            if (words.length < HEADER_WORDS) {
                throw bad("words", words.length, ">= " + HEADER_WORDS);
            }
            if (words[0] != VERSION) {
                throw bad("version", words[0], String.valueOf(VERSION));
            }
            String[] names = {"operands", "values", "operations", "inputs", "outputs"};
            for (int i = 0; i < names.length; i++) {
                if (words[i + 1] < 0 || words[i + 1] >= MAX_COUNT) {
                    throw bad("number of " + names[i], words[i + 1], "0 to " + (MAX_COUNT - 1));
                }
            }
            Header header = new Header(words[1], words[2], words[3], words[4], words[5]);
            if (header.dimensionStart() > words.length) {
                throw bad("words", words.length, ">= " + header.dimensionStart() + " for the counts of the header");
            }
            return header;
        }

        int valueStart() {
            return HEADER_WORDS + operands * OPERAND_WORDS;
        }

        int operationStart() {
            return valueStart() + values * VALUE_WORDS;
        }

        int dimensionStart() {
            return operationStart() + operations * OPERATION_WORDS;
        }
    }

    private static final class Cursor {
        private final int[] words;
        private int next;

        Cursor(int[] words, int start) {
            this.words = words;
            next = start;
        }

        int[] take(int count, String what) {
            if (count < 0 || count > words.length - next) {
                throw bad("words of " + what, count, "0 to " + (words.length - next) + ", what is left");
            }
            int[] taken = Arrays.copyOfRange(words, next, next + count);
            next += count;
            return taken;
        }

        void requireEnd() {
            if (next != words.length) {
                throw bad("words", words.length, next + ", as the counts say");
            }
        }
    }
}
