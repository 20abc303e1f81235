package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Detections of a single-shot detector: box regressions applied to anchors, then non-maximum suppression, for each
 * class alone (regular) or by the best class of each box (fast). Class 0 is the background. What is not used of the
 * outputs is zero.
 */
final class DetectionPostprocessing extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "scores",
            "deltas",
            "anchors",
            "scales[4]",
            "regular",
            "maxDetections",
            "maxClassesPerDetection",
            "maxDetectionsPerClass",
            "scoreThreshold",
            "overlapThreshold",
            "backgroundInLabels");
    private static final OperandNames OUTPUTS = OperandNames.of("scores", "boxes", "classes", "counts");
    private static final int SCORES = INPUTS.at("scores");
    private static final int DELTAS = INPUTS.at("deltas");
    private static final int ANCHORS = INPUTS.at("anchors");
    private static final int SCALES = INPUTS.at("scales");
    private static final int REGULAR = INPUTS.at("regular");
    private static final int MAX_DETECTIONS = INPUTS.at("maxDetections");
    private static final int MAX_CLASSES_PER_DETECTION = INPUTS.at("maxClassesPerDetection");
    private static final int MAX_DETECTIONS_PER_CLASS = INPUTS.at("maxDetectionsPerClass");
    private static final int SCORE_THRESHOLD = INPUTS.at("scoreThreshold");
    private static final int OVERLAP_THRESHOLD = INPUTS.at("overlapThreshold");
    private static final int BACKGROUND_IN_LABELS = INPUTS.at("backgroundInLabels");

    private static final int OUT_SCORES = OUTPUTS.at("scores");
    private static final int OUT_BOXES = OUTPUTS.at("boxes");
    private static final int OUT_CLASSES = OUTPUTS.at("classes");
    private static final int OUT_COUNTS = OUTPUTS.at("counts");

    DetectionPostprocessing() {
        super(
                OperationType.DETECTION_POSTPROCESSING,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(
                                V1_2,
                                inputs(TENSOR_FLOAT32, FLOAT32),
                                out(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_INT32))
                        .row(
                                V1_2,
                                inputs(TENSOR_FLOAT16, FLOAT16),
                                out(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_INT32))
                        .rank("scores", 3)
                        .rank("deltas", 3)
                        .rank("anchors", 2)
                        .range("maxDetections", 1, Integer.MAX_VALUE)
                        .build());
    }

    private static OperandType[] inputs(OperandType tensor, OperandType scalar) {
        return in(
                tensor, tensor, tensor, scalar, scalar, scalar, scalar, BOOL, INT32, INT32, INT32, scalar, scalar,
                BOOL);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int batches = operation.dim(SCORES, 0);
        int anchors = operation.dim(SCORES, 1);
        operation.require(
                operation.dim(SCORES, 2) > 1, "classes", operation.dim(SCORES, 2), "> 1, as class 0 is the background");
        operation.require(
                operation.dim(DELTAS, 2) >= Boxes.SIZE, "numbers a regression", operation.dim(DELTAS, 2), ">= 4");
        operation.requireDims(DELTAS, batches, anchors, operation.dim(DELTAS, 2));
        operation.requireDims(ANCHORS, anchors, Boxes.SIZE);
        for (int i = 0; i < Boxes.SIZE; i++) {
            operation.require(operation.floatValue(SCALES + i) > 0, "scale", operation.floatValue(SCALES + i), "> 0");
        }
        operation.require(
                operation.floatValue(SCORE_THRESHOLD) >= 0,
                "score threshold",
                operation.floatValue(SCORE_THRESHOLD),
                ">= 0");
        operation.require(
                operation.floatValue(OVERLAP_THRESHOLD) >= 0,
                "overlap threshold",
                operation.floatValue(OVERLAP_THRESHOLD),
                ">= 0");
        int detections = operation.intValue(MAX_DETECTIONS);
        int limit = operation.bool(REGULAR) ? MAX_DETECTIONS_PER_CLASS : MAX_CLASSES_PER_DETECTION;
        operation.require(operation.intValue(limit) > 0, "input " + limit, operation.intValue(limit), "> 0");
        long entries = operation.bool(REGULAR)
                ? detections
                : (long) detections * operation.intValue(MAX_CLASSES_PER_DETECTION);
        operation.require(entries <= Integer.MAX_VALUE / 4, "detections", entries, "at most " + Integer.MAX_VALUE / 4);
        operation.setOutput(OUT_SCORES, batches, (int) entries);
        operation.setOutput(OUT_BOXES, batches, (int) entries, Boxes.SIZE);
        operation.setOutput(OUT_CLASSES, batches, (int) entries);
        operation.setOutput(OUT_COUNTS, batches);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int batches = operation.dim(SCORES, 0);
        int anchors = operation.dim(SCORES, 1);
        int classes = operation.dim(SCORES, 2);
        int entries = operation.outDim(OUT_SCORES, 1);
        float[] scores = Reals.read(operation, SCORES);
        float[] scoresOut = new float[batches * entries];
        float[] boxesOut = new float[scoresOut.length * Boxes.SIZE];
        IntView classesOut = operation.outInts(OUT_CLASSES);
        IntView counts = operation.outInts(OUT_COUNTS);
        int firstLabel = operation.bool(BACKGROUND_IN_LABELS) ? 0 : 1;
        for (int i = 0; i < scoresOut.length; i++) {
            classesOut.set(i, 0);
        }
        for (int b = 0; b < batches; b++) {
            float[] boxes = boxes(operation, b, anchors);
            int from = b * anchors * classes;
            List<Integer> found = operation.bool(REGULAR)
                    ? regular(operation, scores, from, boxes)
                    : fast(operation, scores, from, boxes);
            for (int i = 0; i < found.size(); i++) {
                int index = found.get(i);
                int at = b * entries + i;
                scoresOut[at] = scores[index];
                System.arraycopy(boxes, (index - from) / classes * Boxes.SIZE, boxesOut, at * Boxes.SIZE, Boxes.SIZE);
                classesOut.set(at, (index - from) % classes - firstLabel);
            }
            counts.set(b, found.size());
        }
        Reals.write(operation, OUT_SCORES, scoresOut);
        Reals.write(operation, OUT_BOXES, boxesOut);
    }

    /** Anchors are centre y, centre x, height, width; boxes come out as y1, x1, y2, x2. */
    private static float[] boxes(ExecutionContext operation, int batch, int anchors) {
        float[] anchor = Reals.read(operation, ANCHORS);
        FloatView deltas = operation.floats(DELTAS);
        int length = operation.dim(DELTAS, 2);
        float[] boxes = new float[anchors * Boxes.SIZE];
        for (int a = 0; a < anchors; a++) {
            int at = a * Boxes.SIZE;
            int delta = (batch * anchors + a) * length;
            for (int i = 0; i < 2; i++) {
                float size = anchor[at + 2 + i];
                float centre = anchor[at + i] + size * deltas.get(delta + i) / operation.floatValue(SCALES + i);
                float half = size
                        * (float) StrictMath.exp(deltas.get(delta + 2 + i) / operation.floatValue(SCALES + 2 + i))
                        / 2;
                boxes[at + i] = centre - half;
                boxes[at + 2 + i] = centre + half;
            }
        }
        return boxes;
    }

    private static List<Integer> regular(ExecutionContext operation, float[] scores, int from, float[] boxes) {
        int anchors = operation.dim(SCORES, 1);
        int classes = operation.dim(SCORES, 2);
        NonMaximumSuppression suppression =
                new NonMaximumSuppression(scores, boxes, index -> (index - from) / classes * Boxes.SIZE);
        List<Integer> found = new ArrayList<>();
        for (int c = 1; c < classes; c++) {
            List<Integer> candidates = NonMaximumSuppression.candidates(
                    scores, from, anchors, classes, c, operation.floatValue(SCORE_THRESHOLD));
            found.addAll(suppression.hard(
                    candidates, operation.floatValue(OVERLAP_THRESHOLD), operation.intValue(MAX_DETECTIONS_PER_CLASS)));
        }
        return suppression.top(found, operation.intValue(MAX_DETECTIONS));
    }

    private static List<Integer> fast(ExecutionContext operation, float[] scores, int from, float[] boxes) {
        int anchors = operation.dim(SCORES, 1);
        int classes = operation.dim(SCORES, 2);
        int labels = Math.min(classes - 1, operation.intValue(MAX_CLASSES_PER_DETECTION));
        float[] best = new float[anchors];
        for (int a = 0; a < anchors; a++) {
            best[a] = Float.NEGATIVE_INFINITY;
            for (int c = 1; c < classes; c++) {
                best[a] = Math.max(best[a], scores[from + a * classes + c]);
            }
        }
        NonMaximumSuppression ofBoxes = new NonMaximumSuppression(best, boxes, index -> index * Boxes.SIZE);
        List<Integer> candidates =
                NonMaximumSuppression.candidates(best, 0, anchors, 1, 0, operation.floatValue(SCORE_THRESHOLD));
        List<Integer> found = new ArrayList<>();
        for (int a :
                ofBoxes.hard(candidates, operation.floatValue(OVERLAP_THRESHOLD), operation.intValue(MAX_DETECTIONS))) {
            List<Integer> ofBox = new ArrayList<>();
            for (int c = 1; c < classes; c++) {
                ofBox.add(from + a * classes + c);
            }
            found.addAll(new NonMaximumSuppression(scores, boxes, index -> 0).top(ofBox, labels));
        }
        return found;
    }
}
