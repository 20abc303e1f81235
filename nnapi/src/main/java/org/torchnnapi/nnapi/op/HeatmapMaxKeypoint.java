package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT16_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * The place and score of each keypoint in each box. A heatmap {@code [boxes, size, size, keypoints]} lies over its box;
 * its maximum is refined by the peak of the quadratic through the nine pixels around it (Taylor expansion; pixels past
 * the edge are mirrored). Outputs: scores {@code [boxes, keypoints]}, places {@code [boxes, keypoints, 2]} as x, y.
 */
final class HeatmapMaxKeypoint extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("heatmap", "boxes", "layout");
    private static final OperandNames OUTPUTS = OperandNames.of("scores", "places");
    private static final int HEATMAP = INPUTS.at("heatmap");
    private static final int BOXES = INPUTS.at("boxes");
    private static final int LAYOUT = INPUTS.at("layout");
    private static final int SCORES = OUTPUTS.at("scores");
    private static final int PLACES = OUTPUTS.at("places");

    private static final double MAX_SHIFT = 1.5;

    HeatmapMaxKeypoint() {
        super(
                OperationType.HEATMAP_MAX_KEYPOINT,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_2, in(TENSOR_FLOAT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32, TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT16, TENSOR_FLOAT16), out(TENSOR_FLOAT16, TENSOR_FLOAT16))
                        .row(
                                V1_2,
                                in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_ASYMM),
                                out(TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_ASYMM))
                        .row(
                                V1_3,
                                in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_ASYMM),
                                out(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT16_ASYMM))
                        .tail(V1_2, BOOL)
                        .rank("heatmap", 4)
                        .rank("boxes", 2)
                        .inputQuantization("boxes", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .outputQuantization(
                                "places", AxisAlignedBboxTransform.COORDINATE_SCALE, 0, TENSOR_QUANT16_ASYMM)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] dims = operation.dims(HEATMAP);
        int size = layout.height(dims);
        operation.require(layout.width(dims) == size, "heatmap width", layout.width(dims), "its height, " + size);
        operation.require(size >= 2, "heatmap size", size, ">= 2");
        operation.requireDims(BOXES, dims[0], 4);
        operation.setOutput(SCORES, dims[0], layout.channels(dims));
        operation.setOutput(PLACES, dims[0], layout.channels(dims), 2);
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ImageOrder.of(operation, LAYOUT);
        int[] dims = operation.dims(HEATMAP);
        int size = layout.height(dims);
        FloatView boxes = operation.floats(BOXES);
        // Below this, relative to its larger product, a float16 determinant is rounding noise.
        double tolerance = operation.type(HEATMAP) == TENSOR_FLOAT16 ? 1e-3 : 1e-5;
        for (int b = 0; b < dims[0]; b++) {
            float left = boxes.get(4 * b);
            float top = boxes.get(4 * b + 1);
            float width = boxes.get(4 * b + 2) - left;
            float height = boxes.get(4 * b + 3) - top;
            operation.require(width >= 0 && height >= 0, "size of box " + b, width + " x " + height, ">= 0");
            for (int k = 0; k < layout.channels(dims); k++) {
                Peak peak = Peak.of(operation, layout, b, k, tolerance);
                int at = b * layout.channels(dims) + k;
                operation.outFloats(SCORES).set(at, (float) peak.score);
                operation.outFloats(PLACES).set(2 * at, (float) ((peak.x + 0.5) / size * width + left));
                operation.outFloats(PLACES).set(2 * at + 1, (float) ((peak.y + 0.5) / size * height + top));
            }
        }
    }

    /** A maximum, in pixels of the heatmap. */
    private record Peak(double x, double y, double score) {
        static Peak of(ExecutionContext operation, ImageOrder layout, int box, int keypoint, double tolerance) {
            FloatView heatmap = operation.floats(HEATMAP);
            int[] dims = operation.dims(HEATMAP);
            int size = layout.height(dims);
            int best = 0;
            float score = Float.NEGATIVE_INFINITY;
            for (int i = 0; i < size * size; i++) {
                float candidate = heatmap.get(layout.index(dims, box, i / size, i % size, keypoint));
                if (candidate > score) {
                    best = i;
                    score = candidate;
                }
            }
            int centerY = best / size;
            int centerX = best % size;
            double[][] around = new double[3][3];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    around[i][j] = heatmap.get(layout.index(
                            dims, box, mirror(centerY + i - 1, size), mirror(centerX + j - 1, size), keypoint));
                }
            }
            return refine(centerX, centerY, around, tolerance);
        }

        private static int mirror(int index, int size) {
            return index < 0 ? 1 : index >= size ? size - 2 : index;
        }

        /**
         * Moves to where the gradient of the quadratic through {@code z} vanishes, by at most {@link #MAX_SHIFT} pixels
         * along an axis.
         */
        private static Peak refine(int x, int y, double[][] z, double tolerance) {
            double slopeX = (z[1][2] - z[1][0]) / 2;
            double slopeY = (z[2][1] - z[0][1]) / 2;
            double bendX = z[1][0] - 2 * z[1][1] + z[1][2];
            double bendY = z[0][1] - 2 * z[1][1] + z[2][1];
            double twist = (z[2][2] - z[2][0] - z[0][2] + z[0][0]) / 4;
            double determinant = bendX * bendY - twist * twist;
            if (Math.abs(determinant) < tolerance + tolerance * bendX * bendY) {
                return new Peak(x, y, z[1][1]);
            }
            double shiftX = (twist * slopeY - bendY * slopeX) / determinant;
            double shiftY = (twist * slopeX - bendX * slopeY) / determinant;
            double factor = Math.min(1, MAX_SHIFT / Math.max(Math.abs(shiftX), Math.abs(shiftY)));
            shiftX *= factor;
            shiftY *= factor;
            double score = z[1][1]
                    + slopeX * shiftX
                    + slopeY * shiftY
                    + (bendX * shiftX * shiftX + 2 * twist * shiftX * shiftY + bendY * shiftY * shiftY) / 2;
            return new Peak(x + shiftX, y + shiftY, score);
        }
    }
}
