package org.torchnnapi.converter.emit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.converter.lower.ModelAssembler;
import org.torchnnapi.converter.lower.TensorOperand;
import org.torchnnapi.converter.shape.ShapeProgram;

/**
 * Writes an NNAPI model in the format of PyTorch's NNAPI backend (version 1), 32-bit little-endian words throughout: six
 * counts (version, operands, values, operations, inputs, outputs); per operand type, number of dimensions, scale (float),
 * zero point; per value operand, source and byte length; per operation code, number of inputs and of outputs; all
 * dimensions; all values, each padded to whole words; all operation arguments; the inputs; the outputs.
 */
public final class SerializedModelEncoder {
    private static final int VERSION = 1;
    private static final int IMMEDIATE = 0;
    private static final int NUMBERED_BUFFER = 2;
    private static final int HEADER_WORDS = 6;

    /**
     * A serialized model.
     *
     * @param words  32-bit words, to be stored little-endian
     * @param shapes the model's shape program, completed by the stores of the sizes that are open until load time
     */
    public record Encoded(int[] words, ShapeProgram shapes) {
    }

    private SerializedModelEncoder() {
    }

    public static Encoded encode(LoweredModel lowered) {
        ModelAssembler model = lowered.model();
        ShapeProgram shapes = lowered.model().shapes().copy();
        List<TensorOperand> operands = model.operands();
        int dimensionsAt = HEADER_WORDS + 4 * operands.size() + 3 * model.constants().size() + 3 * model.operations().size();
        ByteBuffer out = ByteBuffer.allocate(byteCount(model, dimensionsAt)).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(VERSION).putInt(operands.size()).putInt(model.constants().size()).putInt(model.operations().size())
            .putInt(model.inputs().size()).putInt(model.outputs().size());
        for (TensorOperand operand : operands) {
            out.putInt(operand.type().code()).putInt(operand.rank()).putFloat((float) operand.scale()).putInt(operand.zeroPoint());
        }
        for (ModelAssembler.Constant constant : model.constants()) {
            boolean immediate = constant.bytes() != null;
            out.putInt(constant.operand()).putInt(immediate ? IMMEDIATE : NUMBERED_BUFFER)
                .putInt(immediate ? constant.bytes().length : 3 * Integer.BYTES);
        }
        for (ModelAssembler.AssembledOperation operation : model.operations()) {
            out.putInt(operation.type().ordinal()).putInt(operation.inputs().length).putInt(operation.outputs().length);
        }
        putDimensions(model.operands(), shapes, out);
        for (ModelAssembler.Constant constant : model.constants()) {
            putValue(model, constant, out);
        }
        for (ModelAssembler.AssembledOperation operation : model.operations()) {
            putAll(out, operation.inputs());
            putAll(out, operation.outputs());
        }
        model.inputs().forEach(out::putInt);
        model.outputs().forEach(out::putInt);
        int[] words = new int[out.capacity() / Integer.BYTES];
        out.flip();
        out.asIntBuffer().get(words);
        return new Encoded(words, shapes);
    }

    private static void putDimensions(List<TensorOperand> operands, ShapeProgram shapes, ByteBuffer out) {
        for (int id = 0; id < operands.size(); id++) {
            TensorOperand operand = operands.get(id);
            int[] dimensions = operand.rank() == 4 ? operand.layout().toNnapi(operand.shape()) : operand.shape();
            for (int d = 0; d < dimensions.length; d++) {
                if (dimensions[d] == TensorOperand.AT_LOAD) {
                    shapes.store(out.position() / Integer.BYTES, id, operand.layout().toTorch(d));
                }
                out.putInt(Math.max(dimensions[d], 0));
            }
        }
    }

    private static void putValue(ModelAssembler model, ModelAssembler.Constant constant, ByteBuffer out) {
        if (constant.bytes() == null) {
            TensorOperand operand = model.operand(constant.operand());
            long bytes = operand.type().elementBytes();
            for (int size : operand.shape()) {
                bytes = Math.multiplyExact(bytes, (long) size);
            }
            out.putInt(constant.buffer()).putInt(0).putInt(Math.toIntExact(bytes));
            return;
        }
        out.put(constant.bytes());
        while (out.position() % Integer.BYTES != 0) {
            out.put((byte) 0);
        }
    }

    private static int byteCount(ModelAssembler model, int headWords) {
        int words = headWords + model.inputs().size() + model.outputs().size();
        for (TensorOperand operand : model.operands()) {
            words += operand.rank();
        }
        for (ModelAssembler.Constant constant : model.constants()) {
            words += constant.bytes() == null ? 3 : (constant.bytes().length + Integer.BYTES - 1) / Integer.BYTES;
        }
        for (ModelAssembler.AssembledOperation operation : model.operations()) {
            words += operation.inputs().length + operation.outputs().length;
        }
        return Math.multiplyExact(words, Integer.BYTES);
    }

    private static void putAll(ByteBuffer out, int[] values) {
        for (int value : values) {
            out.putInt(value);
        }
    }
}
