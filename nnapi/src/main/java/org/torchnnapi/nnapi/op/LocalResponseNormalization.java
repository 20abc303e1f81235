package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code x / (bias + alpha * sum(squares of the neighbours within radius))^beta} along one axis. */
final class LocalResponseNormalization extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "radius", "bias", "alpha", "beta", "axis");
    private static final int INPUT = INPUTS.at("input");
    private static final int RADIUS = INPUTS.at("radius");
    private static final int BIAS = INPUTS.at("bias");
    private static final int ALPHA = INPUTS.at("alpha");
    private static final int BETA = INPUTS.at("beta");
    private static final int AXIS = INPUTS.at("axis");

    LocalResponseNormalization() {
        super(
                OperationType.LOCAL_RESPONSE_NORMALIZATION,
                Signatures.builder(INPUTS)
                        .row(V1_0, in(TENSOR_FLOAT32, INT32, FLOAT32, FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT16, INT32, FLOAT16, FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                        .tail(V1_0)
                        .tail(V1_2, INT32)
                        .rank("input", 1, 4)
                        .range("radius", 0, Integer.MAX_VALUE)
                        .axis("axis", "input")
                        .later(
                                "rank",
                                V1_2,
                                "LOCAL_RESPONSE_NORMALIZATION of a rank other than 4",
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
        long radius = operation.intValue(RADIUS);
        double bias = operation.floatValue(BIAS);
        double alpha = operation.floatValue(ALPHA);
        double beta = operation.floatValue(BETA);
        AxisRows rows =
                AxisRows.of(operation.dims(INPUT), operation.axis(operation.intValue(AXIS, -1), operation.rank(INPUT)));
        for (int row = 0; row < rows.count(); row++) {
            for (int i = 0; i < rows.size(); i++) {
                double squares = 0;
                for (int j = (int) Math.max(0, i - radius); j <= Math.min(rows.size() - 1, i + radius); j++) {
                    double neighbour = input.get(rows.index(row, j));
                    squares += neighbour * neighbour;
                }
                int at = rows.index(row, i);
                out.set(at, (float) (input.get(at) / StrictMath.pow(bias + alpha * squares, beta)));
            }
        }
    }
}
