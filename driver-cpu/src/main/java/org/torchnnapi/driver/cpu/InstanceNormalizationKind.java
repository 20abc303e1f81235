package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.GroupNormOp;
import org.torchnnapi.program.op.TransposeOp;

/** INSTANCE_NORMALIZATION: each channel of each image is a group of its own. */
final class InstanceNormalizationKind implements Kind {
    private static final OperandNames INPUTS = Site.inputs(OperationType.INSTANCE_NORMALIZATION);
    private static final int GAMMA = INPUTS.at("gamma");
    private static final int BETA = INPUTS.at("beta");
    private static final int EPSILON = INPUTS.at("epsilon");
    private static final int LAYOUT = INPUTS.at("layout");

    @Override
    public Problem typeRefusal(Site site) {
        return site.realProblem(0);
    }

    @Override
    public void translate(Site site, Translation translation) {
        boolean first = site.flagged(LAYOUT) == ImageLayout.NCHW;
        int channels = site.in(0).dimension(first ? 1 : 3);
        float[] scale = new float[channels];
        float[] shift = new float[channels];
        Arrays.fill(scale, site.floatValue(GAMMA));
        Arrays.fill(shift, site.floatValue(BETA));
        GroupNormOp norm = new GroupNormOp(channels, site.floatValue(EPSILON), scale, shift);
        int in = translation.in(site, 0);
        if (first) {
            translation.result(site, norm, in);
        } else {
            int turned = translation.add(norm, translation.add(new TransposeOp(new int[] {0, 3, 1, 2}), in));
            translation.result(site, new TransposeOp(new int[] {0, 2, 3, 1}), turned);
        }
    }
}
