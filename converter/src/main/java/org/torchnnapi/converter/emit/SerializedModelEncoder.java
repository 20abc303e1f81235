package org.torchnnapi.converter.emit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.nnapi.model.SerializedModelWriter;

/** Writes an NNAPI model in the format of PyTorch's NNAPI backend. */
public final class SerializedModelEncoder {
    private SerializedModelEncoder() {}

    /** The serialized model: 32-bit words, to be stored little-endian. */
    public static int[] words(LoweredModel lowered) {
        return words(lowered.model(), 0);
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

    /** In NNAPI's order, 0 for those that may differ in every run. */
    private static int[] sizes(TensorOperand operand) {
        int[] dimensions = operand.rank() == 4 ? operand.layout().toNnapi(operand.shape()) : operand.shape();
        return Arrays.stream(dimensions).map(size -> Math.max(size, 0)).toArray();
    }

    private static int byteCount(TensorOperand operand) {
        long bytes = operand.type().elementBytes();
        for (int size : operand.shape()) {
            bytes = Math.multiplyExact(bytes, (long) size);
        }
        return Math.toIntExact(bytes);
    }
}
