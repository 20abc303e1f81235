package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.SplittableRandom;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Draws classes from unnormalised log probabilities {@code [batch, classes]}, {@code samples} for each batch. The two
 * seeds determine the outcome.
 */
final class RandomMultinomial extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("logits", "samples", "seeds");
    private static final int LOGITS = INPUTS.at("logits");
    private static final int SAMPLES = INPUTS.at("samples");
    private static final int SEEDS = INPUTS.at("seeds");

    RandomMultinomial() {
        super(
                OperationType.RANDOM_MULTINOMIAL,
                Signatures.builder(INPUTS)
                        .row(V1_2, in(TENSOR_FLOAT32, INT32, TENSOR_INT32), out(TENSOR_INT32))
                        .row(V1_2, in(TENSOR_FLOAT16, INT32, TENSOR_INT32), out(TENSOR_INT32))
                        .rank("logits", 2)
                        .range("samples", 1, Integer.MAX_VALUE)
                        .rank("seeds", 1)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.requireDims(SEEDS, 2);
        int samples = operation.intValue(SAMPLES);
        operation.require(operation.dim(LOGITS, 1) >= 1, "classes", operation.dim(LOGITS, 1), ">= 1");
        operation.setOutput(OUT, operation.dim(LOGITS, 0), samples);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int classes = operation.dim(LOGITS, 1);
        int samples = operation.intValue(SAMPLES);
        int[] seeds = operation.intArray(SEEDS);
        float[] logits = Reals.read(operation, LOGITS);
        IntView out = operation.outInts(OUT);
        SplittableRandom random = new SplittableRandom((long) seeds[0] << 32 | seeds[1] & 0xFFFFFFFFL);
        double[] cumulative = new double[classes];
        for (int b = 0; b < operation.dim(LOGITS, 0); b++) {
            double max = Double.NEGATIVE_INFINITY;
            for (int c = 0; c < classes; c++) {
                max = Math.max(max, logits[b * classes + c]);
            }
            double sum = 0;
            for (int c = 0; c < classes; c++) {
                sum += StrictMath.exp(logits[b * classes + c] - max);
                cumulative[c] = sum;
            }
            for (int s = 0; s < samples; s++) {
                double draw = random.nextDouble() * sum;
                int drawn = 0;
                while (drawn < classes - 1 && draw >= cumulative[drawn]) {
                    drawn++;
                }
                out.set(b * samples + s, drawn);
            }
        }
    }
}
