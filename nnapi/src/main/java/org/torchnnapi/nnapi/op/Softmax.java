package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code exp((x - max) * beta) / sum(exp((x - max) * beta))} along one axis. */
final class Softmax extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "beta", "axis");
    private static final int INPUT = INPUTS.at("input");
    private static final int BETA = INPUTS.at("beta");
    private static final int AXIS = INPUTS.at("axis");

    private static final float OUTPUT_SCALE = 1f / 256;

    Softmax() {
        super(
                OperationType.SOFTMAX,
                Signatures.builder(INPUTS)
                        .row(V1_0, in(TENSOR_FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_0, in(TENSOR_QUANT8_ASYMM, FLOAT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_2, in(TENSOR_FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, FLOAT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .tail(V1_0)
                        .tail(V1_2, INT32)
                        .zeroSizedInputs()
                        .rank("input", 1, 4)
                        .outputQuantization("output", OUTPUT_SCALE, 0, TENSOR_QUANT8_ASYMM)
                        .outputQuantization("output", OUTPUT_SCALE, -128, TENSOR_QUANT8_ASYMM_SIGNED)
                        .later(
                                "rank",
                                V1_2,
                                "SOFTMAX of a rank other than 2 or 4",
                                operation -> operation.at("axis") < 0
                                        && operation.rank(INPUT) != 2
                                        && operation.rank(INPUT) != 4)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.require(operation.floatValue(BETA) > 0, "beta", operation.floatValue(BETA), "> 0");
        operation.axis(operation.intValue(AXIS, -1), operation.rank(INPUT));
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS, -1), dims.length);
        float beta = operation.floatValue(BETA);
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        int size = dims[axis];
        int inner = Dims.product(dims, axis + 1, dims.length);
        int outer = Dims.product(dims, 0, axis);
        for (int row = 0; row < outer * inner; row++) {
            int base = row / inner * size * inner + row % inner;
            float max = Float.NEGATIVE_INFINITY;
            for (int i = 0; i < size; i++) {
                max = Math.max(max, input.get(base + i * inner));
            }
            double sum = 0;
            for (int i = 0; i < size; i++) {
                sum += StrictMath.exp((input.get(base + i * inner) - max) * beta);
            }
            for (int i = 0; i < size; i++) {
                int at = base + i * inner;
                out.set(at, (float) (StrictMath.exp((input.get(at) - max) * beta) / sum));
            }
        }
    }
}
