package org.torchnnapi.differ;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.OutputTemplate;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.differ.RecordedStep.NnapiOperation;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;

/** An operation of an NNAPI part as a converted model of its own. Its tensors have NNAPI's order of dimensions. */
final class CutOperation {
    private final ModelAssembler model = new ModelAssembler();
    private final List<Tensor> inputs = new ArrayList<>();
    /** Operands of the model that is made, by those of the part. */
    private final Map<Integer, Integer> operands = new HashMap<>();

    private final String name;

    private CutOperation(String name) {
        this.name = name;
    }

    static CutLayer of(RecordedStep step) {
        CutOperation cut = new CutOperation(step.name());
        step.operations().forEach(cut::add);
        NnapiOperation last = step.operations().get(step.operations().size() - 1);
        LoweredModel lowered = cut.lowered(last);
        return new CutLayer(
                cut.inputs,
                folder -> new ModuleEmitter(lowered)
                        .relaxed(last.model().isRelaxed())
                        .archive(folder));
    }

    private void add(NnapiOperation step) {
        int[] read = Arrays.stream(step.operation().inputs())
                .map(index -> operand(step, index))
                .toArray();
        int[] written = step.operation().outputs();
        for (int i = 0; i < written.length; i++) {
            int made = model.add(described(step, written[i]));
            operands.put(written[i], made);
            written[i] = made;
        }
        model.operation(step.operation().type(), written, read);
    }

    private int operand(NnapiOperation step, int index) {
        Integer made = operands.get(index);
        if (made == null) {
            Operand operand = step.model().operand(index);
            made = operand.lifetime().isConstant() ? constant(operand) : input(step, index);
            operands.put(index, made);
        }
        return made;
    }

    private int input(NnapiOperation step, int index) {
        int made = model.add(described(step, index));
        model.addInput(made);
        inputs.add(step.given().get(index));
        return made;
    }

    /** An operand that is computed, with the sizes that it had. */
    private TensorOperand described(NnapiOperation step, int index) {
        OperandDescriptor own = step.model().operand(index).descriptor();
        Tensor value = step.given().get(index);
        boolean known = value != null
                && (own.type() == OperandType.TENSOR_FLOAT32
                        || own.type() == OperandType.TENSOR_INT32
                        || own.type() == OperandType.TENSOR_QUANT8_ASYMM);
        if (!known) {
            throw alone(own.type());
        }
        return new TensorOperand(own.type(), value.sizes(), OperandLayout.CONTIGUOUS, own.scale(), own.zeroPoint());
    }

    private int constant(Operand operand) {
        OperandDescriptor own = operand.descriptor();
        ByteBuffer bytes = operand.value();
        switch (operand.type()) {
            case INT32, FLOAT32, BOOL -> {
                byte[] value = new byte[bytes.remaining()];
                bytes.get(value);
                return model.immediate(operand.type(), value);
            }
            case TENSOR_FLOAT32 -> {
                float[] values = new float[bytes.remaining() / Float.BYTES];
                bytes.asFloatBuffer().get(values);
                return weight(own, Tensor.of(values, own.dimensions()));
            }
            case TENSOR_INT32 -> {
                int[] values = new int[bytes.remaining() / Integer.BYTES];
                bytes.asIntBuffer().get(values);
                return weight(own, Tensor.of(values, own.dimensions()));
            }
            case TENSOR_QUANT8_ASYMM -> {
                byte[] values = new byte[bytes.remaining()];
                bytes.get(values);
                return weight(
                        own,
                        Tensor.of(DType.QUINT8, values, own.dimensions())
                                .withQuantization(new Quantization.PerTensor(own.scale(), own.zeroPoint())));
            }
            default -> throw alone(operand.type());
        }
    }

    private int weight(OperandDescriptor own, Tensor data) {
        return model.addWeight(
                new TensorOperand(own.type(), own.dimensions(), OperandLayout.CONSTANT, own.scale(), own.zeroPoint()),
                data);
    }

    private IllegalArgumentException alone(OperandType type) {
        return new IllegalArgumentException("layer: " + name + " has an operand of type " + type
                + " (expected: float32, int32 or quint8, as PyTorch's loader has inputs and "
                + "weights of these types alone)");
    }

    private LoweredModel lowered(NnapiOperation last) {
        List<OperandLayout> outputs = new ArrayList<>();
        List<LoweredModel.Returned> returned = new ArrayList<>();
        for (int index : last.operation().outputs()) {
            Tensor value = last.given().get(index);
            OperandDescriptor own = last.model().operand(index).descriptor();
            model.addOutput(operands.get(index));
            model.addTemplate(new OutputTemplate(value.dtype(), value.sizes(), own.scale(), own.zeroPoint()));
            returned.add(new LoweredModel.Returned(false, outputs.size()));
            outputs.add(OperandLayout.CONTIGUOUS);
        }
        List<OperandLayout> layouts =
                inputs.stream().map(input -> OperandLayout.CONTIGUOUS).collect(Streams.toList());
        return new LoweredModel(
                model,
                layouts,
                outputs,
                outputs.size() == 1 ? LoweredModel.Results.TENSOR : LoweredModel.Results.TUPLE,
                returned);
    }
}
