package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * A layer of singular value decomposition filters, one step in time. Each of the {@code units * rank} filters
 * multiplies the input by its feature weights, remembers the last {@code memory} products, and multiplies those by its
 * time weights; a unit sums its {@code rank} filters. The state keeps the products oldest first, its last place free
 * for the next one.
 */
final class Svdf extends OperationDefinition {
    private static final OperandNames INPUTS =
            OperandNames.of("input", "featureWeights", "timeWeights", "bias", "state", "rank", "activation");
    private static final OperandNames OUTPUTS = OperandNames.of("state", "output");
    private static final int INPUT = INPUTS.at("input");
    private static final int FEATURE_WEIGHTS = INPUTS.at("featureWeights");
    private static final int TIME_WEIGHTS = INPUTS.at("timeWeights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int STATE = INPUTS.at("state");
    private static final int RANK = INPUTS.at("rank");
    private static final int ACTIVATION = INPUTS.at("activation");

    private static final int STATE_OUT = OUTPUTS.at("state");
    private static final int OUT = OUTPUTS.at("output");

    Svdf() {
        super(
                OperationType.SVDF,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_0, join(times(5, TENSOR_FLOAT32), INT32, INT32), times(2, TENSOR_FLOAT32))
                        .row(V1_2, join(times(5, TENSOR_FLOAT16), INT32, INT32), times(2, TENSOR_FLOAT16))
                        .optional("bias")
                        .rank("input", 2)
                        .rank("featureWeights", 2)
                        .rank("timeWeights", 2)
                        .rank("state", 2)
                        .range("rank", 1, Integer.MAX_VALUE)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int batches = operation.dim(INPUT, 0);
        int filters = operation.dim(FEATURE_WEIGHTS, 0);
        int memory = operation.dim(TIME_WEIGHTS, 1);
        int rank = operation.intValue(RANK);
        operation.require(
                rank >= 1 && filters % rank == 0, "rank", rank, "a divisor of the number of filters, " + filters);
        operation.require(memory >= 1, "memory size", memory, ">= 1");
        operation.requireDims(FEATURE_WEIGHTS, filters, operation.dim(INPUT, 1));
        operation.requireDims(TIME_WEIGHTS, filters, memory);
        if (operation.has(BIAS)) {
            operation.requireDims(BIAS, filters / rank);
        }
        operation.requireDims(STATE, batches, filters * memory);
        RecurrentActivation.of(operation, ACTIVATION);
        operation.setOutput(STATE_OUT, operation.dims(STATE));
        operation.setOutput(OUT, batches, filters / rank);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int batches = operation.dim(INPUT, 0);
        int inputs = operation.dim(INPUT, 1);
        int filters = operation.dim(FEATURE_WEIGHTS, 0);
        int memory = operation.dim(TIME_WEIGHTS, 1);
        int rank = operation.intValue(RANK);
        float[] x = Reals.read(operation, INPUT);
        float[] features = Reals.read(operation, FEATURE_WEIGHTS);
        float[] time = Reals.read(operation, TIME_WEIGHTS);
        float[] bias = Reals.read(operation, BIAS);
        float[] state = Reals.read(operation, STATE);
        RecurrentActivation activation = RecurrentActivation.of(operation, ACTIVATION);
        FloatView out = operation.outFloats(OUT);
        for (int b = 0; b < batches; b++) {
            double[] sums = new double[filters / rank];
            for (int f = 0; f < filters; f++) {
                int row = (b * filters + f) * memory;
                state[row + memory - 1] = (float) Reals.dot(features, f * inputs, x, b * inputs, inputs);
                sums[f / rank] += Reals.dot(time, f * memory, state, row, memory);
                System.arraycopy(state, row + 1, state, row, memory - 1);
                state[row + memory - 1] = 0;
            }
            for (int u = 0; u < sums.length; u++) {
                out.set(b * sums.length + u, (float) activation.apply(sums[u] + (bias == null ? 0 : bias[u])));
            }
        }
        Reals.write(operation, STATE_OUT, state);
    }
}
