package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_SYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Region proposals: anchors, moved to every position of the score map, transformed by their regressions, and the best
 * of them after non-maximum suppression.
 */
final class GenerateProposals extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "scores",
            "deltas",
            "anchors",
            "imageInfo",
            "heightStride",
            "widthStride",
            "beforeNms",
            "afterNms",
            "overlapThreshold",
            "minSize",
            "layout");
    private static final OperandNames OUTPUTS = OperandNames.of("scores", "boxes", "batches");
    private static final int SCORES = INPUTS.at("scores");
    private static final int DELTAS = INPUTS.at("deltas");
    private static final int ANCHORS = INPUTS.at("anchors");
    private static final int IMAGE_INFO = INPUTS.at("imageInfo");
    private static final int HEIGHT_STRIDE = INPUTS.at("heightStride");
    private static final int WIDTH_STRIDE = INPUTS.at("widthStride");
    private static final int BEFORE_NMS = INPUTS.at("beforeNms");
    private static final int AFTER_NMS = INPUTS.at("afterNms");
    private static final int OVERLAP_THRESHOLD = INPUTS.at("overlapThreshold");
    private static final int MIN_SIZE = INPUTS.at("minSize");
    private static final int LAYOUT = INPUTS.at("layout");

    private static final int OUT_SCORES = OUTPUTS.at("scores");
    private static final int OUT_BOXES = OUTPUTS.at("boxes");
    private static final int OUT_BATCHES = OUTPUTS.at("batches");

    GenerateProposals() {
        super(
                OperationType.GENERATE_PROPOSALS,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(
                                V1_2,
                                inputs(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT32, FLOAT32),
                                out(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_INT32))
                        .row(
                                V1_2,
                                inputs(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_FLOAT16, FLOAT16),
                                out(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_INT32))
                        .row(
                                V1_2,
                                inputs(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_SYMM, TENSOR_QUANT16_ASYMM, FLOAT32),
                                out(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_ASYMM, TENSOR_INT32))
                        .row(
                                V1_3,
                                inputs(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_SYMM, TENSOR_QUANT16_ASYMM, FLOAT32),
                                out(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_ASYMM, TENSOR_INT32))
                        .rank("scores", 4)
                        .rank("deltas", 4)
                        .rank("anchors", 2)
                        .rank("imageInfo", 2)
                        .sameQuantization("scores", "scores")
                        .inputQuantization("anchors", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_SYMM)
                        .inputQuantization(
                                "imageInfo", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .outputQuantization("boxes", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .build());
    }

    private static OperandType[] inputs(OperandType maps, OperandType anchors, OperandType info, OperandType scalar) {
        return in(maps, maps, anchors, info, scalar, scalar, INT32, INT32, scalar, scalar, BOOL);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] map = operation.dims(SCORES);
        int anchors = layout.channels(map);
        operation.require(anchors > 0 && map[0] > 0, "score map", Arrays.toString(map), "not empty");
        operation.requireDims(DELTAS, layout.dims(map[0], layout.height(map), layout.width(map), anchors * Boxes.SIZE));
        operation.requireDims(ANCHORS, anchors, Boxes.SIZE);
        operation.requireDims(IMAGE_INFO, map[0], 2);
        operation.require(
                operation.floatValue(HEIGHT_STRIDE) > 0, "height stride", operation.floatValue(HEIGHT_STRIDE), "> 0");
        operation.require(
                operation.floatValue(WIDTH_STRIDE) > 0, "width stride", operation.floatValue(WIDTH_STRIDE), "> 0");
        operation.require(
                operation.floatValue(OVERLAP_THRESHOLD) >= 0,
                "overlap threshold",
                operation.floatValue(OVERLAP_THRESHOLD),
                ">= 0");
        operation.require(operation.floatValue(MIN_SIZE) >= 0, "minimum size", operation.floatValue(MIN_SIZE), ">= 0");
    }

    /** What was kept, over all batches. */
    private static final class Kept {
        private final List<Float> scores = new ArrayList<>();
        private final List<Float> coordinates = new ArrayList<>();
        private final List<Integer> batches = new ArrayList<>();
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] map = operation.dims(SCORES);
        float[] info = Reals.read(operation, IMAGE_INFO);
        float[] anchors = anchors(operation, layout, map);
        Kept kept = new Kept();
        for (int b = 0; b < map[0]; b++) {
            propose(operation, layout, b, anchors, info[b * 2], info[b * 2 + 1], kept);
        }
        int count = kept.scores.size();
        operation.setOutput(OUT_SCORES, count);
        operation.setOutput(OUT_BOXES, count, Boxes.SIZE);
        operation.setOutput(OUT_BATCHES, count);
        for (int i = 0; i < count; i++) {
            operation.outFloats(OUT_SCORES).set(i, kept.scores.get(i));
            operation.outInts(OUT_BATCHES).set(i, kept.batches.get(i));
        }
        for (int i = 0; i < count * Boxes.SIZE; i++) {
            operation.outFloats(OUT_BOXES).set(i, kept.coordinates.get(i));
        }
    }

    /** The anchors at every position, positions in row-major order, anchors innermost. */
    private static float[] anchors(ExecutionContext operation, ImageOrder layout, int[] map) {
        float[] anchors = Reals.read(operation, ANCHORS);
        float rowStep = operation.floatValue(HEIGHT_STRIDE);
        float columnStep = operation.floatValue(WIDTH_STRIDE);
        float[] placed = new float[layout.height(map) * layout.width(map) * anchors.length];
        int at = 0;
        for (int y = 0; y < layout.height(map); y++) {
            for (int x = 0; x < layout.width(map); x++) {
                for (int i = 0; i < anchors.length; i++) {
                    placed[at++] = anchors[i] + (i % 2 == 0 ? x * columnStep : y * rowStep);
                }
            }
        }
        return placed;
    }

    private static void propose(
            ExecutionContext operation,
            ImageOrder layout,
            int batch,
            float[] anchors,
            float imageHeight,
            float imageWidth,
            Kept kept) {
        int[] map = operation.dims(SCORES);
        int[] deltaMap = operation.dims(DELTAS);
        FloatView scoreView = operation.floats(SCORES);
        FloatView deltaView = operation.floats(DELTAS);
        int count = anchors.length / Boxes.SIZE;
        int perPosition = layout.channels(map);
        float[] scores = new float[count];
        float[] boxes = new float[anchors.length];
        float[] delta = new float[Boxes.SIZE];
        for (int i = 0; i < count; i++) {
            int position = i / perPosition;
            int y = position / layout.width(map);
            int x = position % layout.width(map);
            scores[i] = scoreView.get(layout.index(map, batch, y, x, i % perPosition));
            for (int j = 0; j < Boxes.SIZE; j++) {
                delta[j] = deltaView.get(layout.index(deltaMap, batch, y, x, i % perPosition * Boxes.SIZE + j));
            }
            Boxes.requireOrdered(operation, anchors, i * Boxes.SIZE);
            Boxes.regress(anchors, i * Boxes.SIZE, delta, 0, imageHeight, imageWidth, boxes, i * Boxes.SIZE);
        }
        NonMaximumSuppression suppression = new NonMaximumSuppression(scores, boxes, index -> index * Boxes.SIZE);
        List<Integer> candidates = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            candidates.add(i);
        }
        int before = operation.intValue(BEFORE_NMS);
        if (before > 0 && before < count) {
            candidates = new ArrayList<>(suppression.top(candidates, before));
        }
        float minSize = operation.floatValue(MIN_SIZE);
        candidates.removeIf(i -> !isLargeEnough(boxes, i * Boxes.SIZE, minSize, imageHeight, imageWidth));
        int after = operation.intValue(AFTER_NMS);
        for (int index :
                suppression.hard(candidates, operation.floatValue(OVERLAP_THRESHOLD), after > 0 ? after : -1)) {
            kept.scores.add(scores[index]);
            kept.batches.add(batch);
            for (int j = 0; j < Boxes.SIZE; j++) {
                kept.coordinates.add(boxes[index * Boxes.SIZE + j]);
            }
        }
    }

    private static boolean isLargeEnough(float[] boxes, int at, float minSize, float imageHeight, float imageWidth) {
        float width = boxes[at + 2] - boxes[at];
        float height = boxes[at + 3] - boxes[at + 1];
        float centreX = boxes[at] + width / 2;
        float centreY = boxes[at + 1] + height / 2;
        return width > minSize && height > minSize && centreX < imageWidth && centreY < imageHeight;
    }
}
