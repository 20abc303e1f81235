package org.torchnnapi.engine;

import java.nio.Buffer;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Makes serialized models legal that PyTorch's converter emits although NNAPI's specification does not take them:
 * inputs of more than four dimensions, which are only ever reshaped and so can lose some, as the order of elements is
 * the same; and 16-bit quantized operands of operations that have no 16-bit form, which are computed in float32 and
 * rounded at the end.
 */
final class PyTorchModelNormalizer {
    private static final int MAX_RANK = 4;
    private static final int HEADER_WORDS = 6;
    private static final int OPERAND_WORDS = 4;
    private static final int VALUE_WORDS = 3;
    private static final int OPERATION_WORDS = 3;

    /** A 16-bit operand as it was declared. */
    private record SixteenBit(OperandType type, float scale, int zeroPoint) {}

    private final SerializedModel legal;
    private final SixteenBit[] inputs;
    private final SixteenBit[] outputs;
    private final int[][] dimensions;

    private PyTorchModelNormalizer(
            SerializedModel legal, SixteenBit[] inputs, SixteenBit[] outputs, int[][] dimensions) {
        this.legal = legal;
        this.inputs = inputs;
        this.outputs = outputs;
        this.dimensions = dimensions;
    }

    /** What is malformed stays so; decoding reports it. */
    static PyTorchModelNormalizer of(SerializedModel serialized) {
        int[] words = serialized.words();
        if (serialized.isOwnForm() || words.length < HEADER_WORDS || !plausible(words)) {
            return new PyTorchModelNormalizer(serialized, new SixteenBit[0], new SixteenBit[0], new int[0][]);
        }
        int inputAt = words.length - words[4] - words[5];
        SixteenBit[] inputs = declared(words, inputAt, words[4]);
        SixteenBit[] outputs = declared(words, inputAt + words[4], words[5]);
        int[][] dimensions = dimensions(words, inputAt);
        boolean changed = sixteenBitsToFloat(words);
        int[] shorter = collapsed(words, inputAt);
        return new PyTorchModelNormalizer(
                changed || shorter != words ? new SerializedModel(shorter, serialized.buffers()) : serialized,
                inputs,
                outputs,
                dimensions);
    }

    /** The model to compile. */
    SerializedModel legal() {
        return legal;
    }

    /** The value of an input, as the legal model wants it. */
    Buffer input(int position, Buffer data) {
        SixteenBit declared = position < inputs.length ? inputs[position] : null;
        if (declared == null || !(data instanceof ShortBuffer from)) {
            return data;
        }
        float[] out = new float[from.remaining()];
        for (int i = 0; i < out.length; i++) {
            out[i] = (from.get(from.position() + i) - declared.zeroPoint) * declared.scale;
        }
        return FloatBuffer.wrap(out);
    }

    /**
     * The dimensions that an input was declared with, of which the legal model has {@link #sizes}, or null if they are
     * the legal model's.
     */
    int[] declared(int position) {
        return position < dimensions.length && dimensions[position] != null ? dimensions[position].clone() : null;
    }

    /** The element type that the caller passes where the legal model has float32, or null. */
    DType inputType(int position) {
        return position < inputs.length && inputs[position] != null ? DType.INT16 : null;
    }

    /** As {@link #inputType} for an output. */
    DType outputType(int position) {
        return position < outputs.length && outputs[position] != null ? DType.INT16 : null;
    }

    /** The value of an output, as the caller wants it. */
    Buffer output(int position, Buffer data) {
        SixteenBit declared = position < outputs.length ? outputs[position] : null;
        if (declared == null || !(data instanceof FloatBuffer)) {
            return data;
        }
        FloatBuffer from = Buffers.whole((FloatBuffer) data);
        short[] out = new short[from.remaining()];
        for (int i = 0; i < out.length; i++) {
            long value = (long) Math.rint((double) from.get(i) / declared.scale) + declared.zeroPoint;
            out[i] = (short) Math.max(
                    declared.type.element().min(),
                    Math.min(declared.type.element().max(), value));
        }
        return ShortBuffer.wrap(out);
    }

    /** Sizes of a tensor as the legal model has them: the last dimensions made one. */
    static int[] sizes(int[] sizes) {
        if (sizes.length <= MAX_RANK) {
            return sizes;
        }
        int[] out = Arrays.copyOf(sizes, MAX_RANK);
        for (int d = MAX_RANK; d < sizes.length; d++) {
            out[MAX_RANK - 1] = Math.multiplyExact(out[MAX_RANK - 1], sizes[d]);
        }
        return out;
    }

    /** Whether counts and ranks lie inside the words. */
    private static boolean plausible(int[] words) {
        long needed = HEADER_WORDS;
        for (int i = 1; i < HEADER_WORDS; i++) {
            if (words[i] < 0) {
                return false;
            }
        }
        needed += (long) OPERAND_WORDS * words[1]
                + (long) VALUE_WORDS * words[2]
                + (long) OPERATION_WORDS * words[3]
                + words[4]
                + words[5];
        for (int i = 0; needed <= words.length && i < words[1]; i++) {
            int rank = words[rankAt(i)];
            if (rank < 0) {
                return false;
            }
            needed += rank;
        }
        return needed <= words.length;
    }

    private static int rankAt(int operand) {
        return HEADER_WORDS + OPERAND_WORDS * operand + 1;
    }

    private static SixteenBit[] declared(int[] words, int from, int count) {
        SixteenBit[] out = new SixteenBit[count];
        for (int i = 0; i < count; i++) {
            int operand = words[from + i];
            if (operand >= 0 && operand < words[1] && isSixteenBit(words[rankAt(operand) - 1])) {
                int at = rankAt(operand);
                out[i] = new SixteenBit(
                        OperandType.ofCode(words[at - 1]), Float.intBitsToFloat(words[at + 1]), words[at + 2]);
            }
        }
        return out;
    }

    /** Of the inputs that have more than four; null for the others. */
    private static int[][] dimensions(int[] words, int inputAt) {
        int[] at = new int[words[1] + 1];
        at[0] = HEADER_WORDS + OPERAND_WORDS * words[1] + VALUE_WORDS * words[2] + OPERATION_WORDS * words[3];
        for (int i = 0; i < words[1]; i++) {
            at[i + 1] = at[i] + words[rankAt(i)];
        }
        int[][] out = new int[words[4]][];
        for (int i = 0; i < out.length; i++) {
            int operand = words[inputAt + i];
            if (operand >= 0 && operand < words[1] && words[rankAt(operand)] > MAX_RANK) {
                out[i] = Arrays.copyOfRange(words, at[operand], at[operand + 1]);
            }
        }
        return out;
    }

    private static boolean isSixteenBit(int type) {
        return type == OperandType.TENSOR_QUANT16_SYMM.code() || type == OperandType.TENSOR_QUANT16_ASYMM.code();
    }

    private static boolean sixteenBitsToFloat(int[] words) {
        boolean changed = false;
        for (int i = 0; i < words[1]; i++) {
            int at = rankAt(i);
            if (isSixteenBit(words[at - 1])) {
                words[at - 1] = OperandType.TENSOR_FLOAT32.code();
                words[at + 1] = 0;
                words[at + 2] = 0;
                changed = true;
            }
        }
        return changed;
    }

    /** The words with the input operands' dimensions cut to four, or the same array. */
    private static int[] collapsed(int[] words, int inputAt) {
        boolean[] isInput = new boolean[words[1]];
        for (int i = 0; i < words[4]; i++) {
            int operand = words[inputAt + i];
            if (operand >= 0 && operand < words[1]) {
                isInput[operand] = true;
            }
        }
        int[] out = words;
        int at = HEADER_WORDS + OPERAND_WORDS * words[1] + VALUE_WORDS * words[2] + OPERATION_WORDS * words[3];
        for (int i = 0; i < words[1]; i++) {
            int rank = out[rankAt(i)];
            if (isInput[i] && rank > MAX_RANK) {
                int[] dimensions = Arrays.copyOfRange(out, at, at + rank);
                if (Arrays.stream(dimensions).anyMatch(d -> d < 0 || d > Short.MAX_VALUE)) {
                    return words;
                }
                int[] shorter = new int[out.length - rank + MAX_RANK];
                System.arraycopy(out, 0, shorter, 0, at);
                System.arraycopy(sizes(dimensions), 0, shorter, at, MAX_RANK);
                System.arraycopy(out, at + rank, shorter, at + MAX_RANK, out.length - at - rank);
                shorter[rankAt(i)] = MAX_RANK;
                out = shorter;
                rank = MAX_RANK;
            }
            at += rank;
        }
        return out;
    }
}
