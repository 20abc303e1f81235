package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.KeypointsOp;
import org.torchnnapi.program.op.QuantizeOp;
import org.torchnnapi.program.op.TransposeOp;

/** HEATMAP_MAX_KEYPOINT, of heatmaps with the keypoints last; others are brought to that. */
final class KeypointsOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.HEATMAP_MAX_KEYPOINT);
    private static final int HEATMAP = INPUTS.at("heatmap");
    private static final int BOXES = INPUTS.at("boxes");
    private static final int LAYOUT = INPUTS.at("layout");
    private static final int[] TO_NHWC = {0, 2, 3, 1};
    private static final double TOLERANCE = 1e-5;
    /** What is noise in numbers of 16 bits. */
    private static final double HALF_TOLERANCE = 1e-3;

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.typeProblem(HEATMAP), site.coordinatesProblem(BOXES));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input == LAYOUT;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int maps = translation.in(site, HEATMAP);
        if (site.flagged(LAYOUT) == ImageLayout.NCHW) {
            maps = translation.add(new TransposeOp(TO_NHWC), maps);
        }
        int boxes = translation.type(maps).dimension(0);
        int keypoints = translation.type(maps).dimension(3);
        double tolerance = site.in(HEATMAP).type() == OperandType.TENSOR_FLOAT16 ? HALF_TOLERANCE : TOLERANCE;
        int flat = translation.add(new KeypointsOp(tolerance), maps, translation.in(site, BOXES));
        int scores = Sequences.part(translation, flat, 0, boxes, keypoints);
        translation.result(
                site,
                0,
                site.isFloat()
                        ? scores
                        : translation.add(
                                new QuantizeOp(site.outQuantization(), Quantizing.Rule.QUOTIENT_HALF_EVEN), scores));
        translation.result(site, 1, Sequences.part(translation, flat, boxes * keypoints, boxes, keypoints, 2));
    }
}
