package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.op.GroupNormOp;

/** INSTANCE_NORMALIZATION: each channel of each image is a group of its own. */
final class InstanceNormalizationOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.INSTANCE_NORMALIZATION);
    private static final int GAMMA = INPUTS.at("gamma");
    private static final int BETA = INPUTS.at("beta");
    private static final int EPSILON = INPUTS.at("epsilon");
    private static final int LAYOUT = INPUTS.at("layout");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int channels = site.in(0).dimension(ImageStorage.channelAxis(site.flagged(LAYOUT)));
        float[] scale = new float[channels];
        float[] shift = new float[channels];
        Arrays.fill(scale, site.floatValue(GAMMA));
        Arrays.fill(shift, site.floatValue(BETA));
        translation.result(
                site,
                new GroupNormOp(site.flagged(LAYOUT), channels, site.floatValue(EPSILON), scale, shift),
                translation.in(site, 0));
    }
}
