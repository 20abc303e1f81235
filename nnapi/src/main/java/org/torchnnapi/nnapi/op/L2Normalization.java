package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * Each row along one axis divided by its Euclidean norm; a row of zeros stays zero. Quantized results have a fixed
 * scale.
 */
final class L2Normalization extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "axis");
    private static final int INPUT = INPUTS.at("input");
    private static final int AXIS = INPUTS.at("axis");

    private static final float OUTPUT_SCALE = 1f / 128;

    L2Normalization() {
        super(
                OperationType.L2_NORMALIZATION,
                Signatures.builder(INPUTS)
                        .rows(V1_0, 1, TENSOR_FLOAT32)
                        .rows(V1_2, 1, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_0)
                        .tail(V1_2, INT32)
                        .rank("input", 1, 4)
                        .axis("axis", "input")
                        .outputQuantization("output", OUTPUT_SCALE, 128, TENSOR_QUANT8_ASYMM)
                        .outputQuantization("output", OUTPUT_SCALE, 0, TENSOR_QUANT8_ASYMM_SIGNED)
                        .later(
                                "rank",
                                V1_2,
                                "L2_NORMALIZATION of a rank other than 4",
                                operation -> operation.rank(INPUT) != 4)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        AxisRows rows =
                AxisRows.of(operation.dims(INPUT), operation.axis(operation.intValue(AXIS, -1), operation.rank(INPUT)));
        for (int row = 0; row < rows.count(); row++) {
            double squares = 0;
            for (int i = 0; i < rows.size(); i++) {
                double element = input.get(rows.index(row, i));
                squares += element * element;
            }
            double norm = Math.sqrt(squares);
            for (int i = 0; i < rows.size(); i++) {
                int at = rows.index(row, i);
                out.set(at, norm == 0 ? 0 : (float) (input.get(at) / norm));
            }
        }
    }
}
