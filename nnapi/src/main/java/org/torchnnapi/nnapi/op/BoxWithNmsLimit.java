package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Non-maximum suppression, class by class and batch by batch: scores {@code [boxes, classes]}, boxes {@code [boxes,
 * classes * 4]}, batch index per box, boxes of a batch together. Class 0 is the background. Results are in order of
 * batch, class, falling score.
 */
final class BoxWithNmsLimit extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "scores",
            "boxes",
            "batches",
            "scoreThreshold",
            "maxDetections",
            "kernel",
            "overlapThreshold",
            "sigma",
            "nmsScoreThreshold");
    private static final OperandNames OUTPUTS = OperandNames.of("scores", "boxes", "classes", "batches");
    private static final int SCORES = INPUTS.at("scores");
    private static final int BOXES = INPUTS.at("boxes");
    private static final int BATCHES = INPUTS.at("batches");
    private static final int SCORE_THRESHOLD = INPUTS.at("scoreThreshold");
    private static final int MAX_DETECTIONS = INPUTS.at("maxDetections");
    private static final int KERNEL = INPUTS.at("kernel");
    private static final int OVERLAP_THRESHOLD = INPUTS.at("overlapThreshold");
    private static final int SIGMA = INPUTS.at("sigma");
    private static final int NMS_SCORE_THRESHOLD = INPUTS.at("nmsScoreThreshold");

    private static final int OUT_SCORES = OUTPUTS.at("scores");
    private static final int OUT_BOXES = OUTPUTS.at("boxes");
    private static final int OUT_CLASSES = OUTPUTS.at("classes");
    private static final int OUT_BATCHES = OUTPUTS.at("batches");

    private static final int HARD = 0;
    private static final int LINEAR = 1;
    private static final int GAUSSIAN = 2;

    BoxWithNmsLimit() {
        super(
                OperationType.BOX_WITH_NMS_LIMIT,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(
                                V1_2,
                                inputs(TENSOR_FLOAT32, TENSOR_FLOAT32, FLOAT32),
                                outputs(TENSOR_FLOAT32, TENSOR_FLOAT32))
                        .row(
                                V1_2,
                                inputs(TENSOR_FLOAT16, TENSOR_FLOAT16, FLOAT16),
                                outputs(TENSOR_FLOAT16, TENSOR_FLOAT16))
                        .row(
                                V1_2,
                                inputs(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_ASYMM, FLOAT32),
                                outputs(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_ASYMM))
                        .row(
                                V1_3,
                                inputs(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_ASYMM, FLOAT32),
                                outputs(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_ASYMM))
                        .zeroSizedInputs()
                        .rank("scores", 2)
                        .rank("boxes", 2)
                        .rank("batches", 1)
                        .range("kernel", HARD, GAUSSIAN)
                        .sameQuantization("scores", "scores")
                        .sameQuantization("boxes", "boxes")
                        .inputQuantization("boxes", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .build());
    }

    private static OperandType[] inputs(OperandType scores, OperandType boxes, OperandType scalar) {
        return in(scores, boxes, TENSOR_INT32, scalar, INT32, INT32, scalar, scalar, scalar);
    }

    private static OperandType[] outputs(OperandType scores, OperandType boxes) {
        return out(scores, boxes, TENSOR_INT32, TENSOR_INT32);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int boxes = operation.dim(SCORES, 0);
        int classes = operation.dim(SCORES, 1);
        operation.require(classes > 1, "classes", classes, "> 1, as class 0 is the background");
        operation.requireDims(BOXES, boxes, classes * Boxes.SIZE);
        operation.requireDims(BATCHES, boxes);
        int kernel = operation.intValue(KERNEL);
        operation.require(
                kernel != GAUSSIAN || operation.floatValue(SIGMA) > 0, "sigma", operation.floatValue(SIGMA), "> 0");
        operation.require(
                operation.floatValue(OVERLAP_THRESHOLD) >= 0,
                "overlap threshold",
                operation.floatValue(OVERLAP_THRESHOLD),
                ">= 0");
    }

    private static NonMaximumSuppression.Decay decay(OperationContext operation) {
        float threshold = operation.floatValue(OVERLAP_THRESHOLD);
        float sigma = operation.floatValue(SIGMA);
        return switch (operation.intValue(KERNEL)) {
            case HARD -> overlap -> overlap < threshold ? 1 : 0;
            case LINEAR -> overlap -> overlap < threshold ? 1 : 1 - overlap;
            default -> overlap -> (float) StrictMath.exp(-overlap * overlap / sigma);
        };
    }

    @Override
    public void execute(ExecutionContext operation) {
        int boxes = operation.dim(SCORES, 0);
        int classes = operation.dim(SCORES, 1);
        int[] batches = operation.intArray(BATCHES);
        float[] scores = Reals.read(operation, SCORES);
        float[] coordinates = Reals.read(operation, BOXES);
        for (int i = 0; i < boxes * classes; i++) {
            Boxes.requireOrdered(operation, coordinates, i * Boxes.SIZE);
        }
        NonMaximumSuppression suppression = new NonMaximumSuppression(scores, coordinates, index -> index * Boxes.SIZE);
        List<Integer> selected = new ArrayList<>();
        for (int from = 0; from < boxes; ) {
            int to = from + 1;
            while (to < boxes && batches[to] == batches[from]) {
                to++;
            }
            selected.addAll(select(operation, suppression, scores, from * classes, to - from, classes));
            from = to;
        }
        write(operation, selected, scores, classes, batches);
    }

    private static List<Integer> select(
            ExecutionContext operation,
            NonMaximumSuppression suppression,
            float[] scores,
            int from,
            int boxes,
            int classes) {
        int limit = operation.intValue(MAX_DETECTIONS);
        NonMaximumSuppression.Decay decay = decay(operation);
        List<Integer> found = new ArrayList<>();
        for (int c = 1; c < classes; c++) {
            List<Integer> candidates = NonMaximumSuppression.candidates(
                    scores, from, boxes, classes, c, operation.floatValue(SCORE_THRESHOLD));
            found.addAll(suppression.soft(candidates, decay, operation.floatValue(NMS_SCORE_THRESHOLD), limit));
        }
        List<Integer> best = new ArrayList<>(suppression.top(found, limit));
        best.sort(Comparator.comparingInt(index -> index % classes));
        return best;
    }

    private static void write(
            ExecutionContext operation, List<Integer> selected, float[] scores, int classes, int[] batches) {
        int count = selected.size();
        operation.setOutput(OUT_SCORES, count);
        operation.setOutput(OUT_BOXES, count, Boxes.SIZE);
        operation.setOutput(OUT_CLASSES, count);
        operation.setOutput(OUT_BATCHES, count);
        IntView boxes = operation.ints(BOXES);
        for (int i = 0; i < count; i++) {
            int index = selected.get(i);
            operation.outFloats(OUT_SCORES).set(i, scores[index]);
            for (int j = 0; j < Boxes.SIZE; j++) {
                operation.outInts(OUT_BOXES).set(i * Boxes.SIZE + j, boxes.get(index * Boxes.SIZE + j));
            }
            operation.outInts(OUT_CLASSES).set(i, index % classes);
            operation.outInts(OUT_BATCHES).set(i, batches[index / classes]);
        }
    }
}
