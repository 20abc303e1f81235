package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Elements to another type: by their stored integers, scale and zero point play no part. Real numbers are cut off
 * towards zero, what does not fit a TENSOR_QUANT8_ASYMM saturates. Since 1.3 any type can be cast to itself.
 */
final class Cast extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input");
    private static final int INPUT = INPUTS.at("input");

    Cast() {
        super(OperationType.CAST, accepted());
    }

    private static Signatures accepted() {
        Signatures.Builder builder = Signatures.builder(INPUTS);
        List<OperandType> free = List.of(TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM);
        for (OperandType from : free) {
            for (OperandType to : free) {
                builder.row(V1_2, in(from), out(to));
            }
        }
        for (OperandType type : OperandType.standard()) {
            if (type.isTensor() && !free.contains(type)) {
                builder.row(V1_3, in(type), out(type));
            }
        }
        return builder.zeroSizedInputs().build();
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        OperandType from = operation.type(INPUT);
        OperandType to = operation.outType(OUT);
        if (from == to) {
            operation.copy(INPUT, OUT);
            return;
        }
        for (int i = 0; i < operation.outCount(OUT); i++) {
            if (to.isFloat()) {
                operation
                        .outFloats(OUT)
                        .set(
                                i,
                                from.isFloat()
                                        ? operation.floats(INPUT).get(i)
                                        : operation.ints(INPUT).get(i));
            } else {
                operation
                        .outInts(OUT)
                        .setSaturated(
                                i,
                                from.isFloat()
                                        ? (long) operation.floats(INPUT).get(i)
                                        : operation.ints(INPUT).get(i));
            }
        }
    }
}
