package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code (x - max) * beta - log(sum(exp((x - max) * beta)))} along one axis. */
final class LogSoftmax extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "beta", "axis");
    private static final int INPUT = INPUTS.at("input");
    private static final int BETA = INPUTS.at("beta");
    private static final int AXIS = INPUTS.at("axis");

    LogSoftmax() {
        super(
                OperationType.LOG_SOFTMAX,
                Signatures.builder(INPUTS)
                        .row(V1_2, in(TENSOR_FLOAT32, FLOAT32, INT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT16, FLOAT16, INT32), out(TENSOR_FLOAT16))
                        .axis("axis", "input")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.require(operation.floatValue(BETA) > 0, "beta", operation.floatValue(BETA), "> 0");
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        double beta = operation.floatValue(BETA);
        AxisRows rows =
                AxisRows.of(operation.dims(INPUT), operation.axis(operation.intValue(AXIS), operation.rank(INPUT)));
        for (int row = 0; row < rows.count(); row++) {
            float max = Float.NEGATIVE_INFINITY;
            for (int i = 0; i < rows.size(); i++) {
                max = Math.max(max, input.get(rows.index(row, i)));
            }
            double sum = 0;
            for (int i = 0; i < rows.size(); i++) {
                sum += StrictMath.exp((input.get(rows.index(row, i)) - (double) max) * beta);
            }
            double logSum = StrictMath.log(sum);
            for (int i = 0; i < rows.size(); i++) {
                int at = rows.index(row, i);
                out.set(at, (float) ((input.get(at) - (double) max) * beta - logSum));
            }
        }
    }
}
