package org.torchnnapi.converter.emit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.shape.ShapeProgram;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.nnapi.model.SerializedModelWriter;

/**
 * Writes an NNAPI model in the format of PyTorch's NNAPI backend, with the shape program that fills in what is open
 * until load time.
 */
public final class SerializedModelEncoder {
    /**
     * A serialized model.
     *
     * @param words 32-bit words, to be stored little-endian
     * @param shapes the model's shape program, completed by the stores of the sizes that are open until load time
     */
    public record Encoded(int[] words, ShapeProgram shapes) {}

    private SerializedModelEncoder() {}

    public static Encoded encode(LoweredModel lowered) {
        ModelAssembler model = lowered.model();
        int[] words = words(model, 0);
        ShapeProgram shapes =
                model.needsOwnRuntime() ? model.shapes() : shapes(model, new SerializedModel(words, List.of()));
        return new Encoded(words, shapes);
    }

    /** @param base number of the first of the model's own weights among those of the whole */
    private static int[] words(ModelAssembler model, int base) {
        SerializedModelWriter writer = new SerializedModelWriter();
        for (TensorOperand operand : model.operands()) {
            writer.operand(operand.type(), sizes(operand), (float) operand.scale(), operand.zeroPoint());
        }
        for (ModelAssembler.Constant constant : model.constants()) {
            if (constant.bytes() != null) {
                writer.value(constant.operand(), ByteBuffer.wrap(constant.bytes()));
            } else {
                writer.value(
                        constant.operand(), base + constant.buffer(), 0, byteCount(model.operand(constant.operand())));
            }
        }
        for (ModelAssembler.AssembledOperation operation : model.operations()) {
            writer.operation(operation.type(), operation.inputs(), operation.outputs());
        }
        model.channels().forEach(writer::channels);
        int next = base + model.ownWeights();
        for (Map.Entry<Integer, ModelAssembler> inner : model.models().entrySet()) {
            writer.model(inner.getKey(), words(inner.getValue(), next));
            next += inner.getValue().weights().size();
        }
        return writer.words(array(model.inputs()), array(model.outputs()));
    }

    private static int[] array(List<Integer> operands) {
        return operands.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The dimensions in NNAPI's order, those that are open negative. */
    private static int[] dimensions(TensorOperand operand) {
        return operand.rank() == 4 ? operand.layout().toNnapi(operand.shape()) : operand.shape();
    }

    private static int[] sizes(TensorOperand operand) {
        return Arrays.stream(dimensions(operand)).map(size -> Math.max(size, 0)).toArray();
    }

    private static int byteCount(TensorOperand operand) {
        long bytes = operand.type().elementBytes();
        for (int size : operand.shape()) {
            bytes = Math.multiplyExact(bytes, (long) size);
        }
        return Math.toIntExact(bytes);
    }

    private static ShapeProgram shapes(ModelAssembler model, SerializedModel serialized) {
        ShapeProgram shapes = model.shapes().copy();
        for (int id = 0; id < model.operands().size(); id++) {
            TensorOperand operand = model.operands().get(id);
            int[] dimensions = dimensions(operand);
            boolean open = Arrays.stream(dimensions).anyMatch(size -> size == TensorOperand.AT_LOAD);
            int at = open ? serialized.dimensionOffset(id) : 0;
            for (int d = 0; d < dimensions.length; d++) {
                if (dimensions[d] == TensorOperand.AT_LOAD) {
                    shapes.store(at + d, id, operand.layout().toTorch(d));
                }
            }
        }
        return shapes;
    }
}
