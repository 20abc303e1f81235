package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** A tensor cut into equal parts along one axis, an output each. */
final class Split extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "axis", "parts");
    private static final OperandNames OUTPUTS = OperandNames.of("parts[]");
    private static final int INPUT = INPUTS.at("input");
    private static final int AXIS = INPUTS.at("axis");
    private static final int PARTS = INPUTS.at("parts");

    Split() {
        super(
                OperationType.SPLIT,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_2, INT32, INT32)
                        .variadic()
                        .axis("axis", "input")
                        .sameQuantization("input", "parts")
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.require(operation.inputCount() == 3, "inputs", operation.inputCount(), "3");
        for (int i = 0; i < operation.outputCount(); i++) {
            operation.require(
                    operation.output(i).type() == operation.type(INPUT),
                    "type of output " + i,
                    operation.output(i).type(),
                    operation.type(INPUT).toString());
        }
        operation.requireInt(PARTS, operation.outputCount(), operation.outputCount());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT).clone();
        int axis = operation.axis(operation.intValue(AXIS), dims.length);
        int parts = operation.intValue(PARTS);
        operation.require(
                parts == operation.outputCount(), "parts", parts, "the number of outputs, " + operation.outputCount());
        operation.require(dims[axis] % parts == 0, "size of axis " + axis, dims[axis], "a multiple of " + parts);
        dims[axis] /= parts;
        for (int i = 0; i < parts; i++) {
            operation.setOutput(i, dims);
        }
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS), dims.length);
        int parts = operation.intValue(PARTS);
        int run = Dims.product(dims, axis, dims.length) / parts;
        IntView input = operation.ints(INPUT);
        for (int part = 0; part < parts; part++) {
            IntView out = operation.outInts(part);
            for (int i = 0; i < operation.outCount(part); i++) {
                out.set(i, input.get((i / run * parts + part) * run + i % run));
            }
        }
    }
}
