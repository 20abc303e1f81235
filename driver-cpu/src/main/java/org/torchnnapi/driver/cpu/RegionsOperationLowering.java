package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.RoiAlignOp;
import org.torchnnapi.program.op.RoiPoolOp;
import org.torchnnapi.program.op.TransposeOp;

/** ROI_ALIGN and ROI_POOLING, of images with the channels last; others are brought to that. */
final class RegionsOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.ROI_ALIGN);
    private static final int INPUT = INPUTS.at("input");
    private static final int REGIONS = INPUTS.at("regions");
    private static final int PLACES = INPUTS.at("batches");
    private static final int HEIGHT = INPUTS.at("height");
    private static final int WIDTH = INPUTS.at("width");
    private static final int STRIDES = INPUTS.at("strides");
    /**
     * Deadlines are looked at between rows of bins: of more samples a bin those would take seconds, which the reference
     * device can be stopped in.
     */
    private static final long MOST_SAMPLES = 1 << 16;

    private static final int[] TO_NHWC = {0, 2, 3, 1};
    private static final int[] TO_NCHW = {0, 3, 1, 2};

    private final boolean aligned;

    /** @param aligned ROI_ALIGN */
    RegionsOperationLowering(boolean aligned) {
        this.aligned = aligned;
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.typeProblem(INPUT), site.coordinatesProblem(REGIONS));
    }

    @Override
    public Problem refusal(OperationView site) {
        long samples = aligned
                ? Math.max(1L, site.intValue(site.at("rowSamples")))
                        * Math.max(1L, site.intValue(site.at("columnSamples")))
                : 1;
        return samples <= MOST_SAMPLES ? null : Problem.of("bin", samples + " samples", "<= " + MOST_SAMPLES);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input > PLACES;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        boolean channelsFirst = site.flagged(site.at("layout")) == ImageLayout.NCHW;
        int images = translation.in(site, INPUT);
        if (channelsFirst) {
            images = translation.add(new TransposeOp(TO_NHWC), images);
        }
        int bins = translation.add(op(site), images, translation.in(site, REGIONS), translation.in(site, PLACES));
        translation.result(site, 0, channelsFirst ? translation.add(new TransposeOp(TO_NCHW), bins) : bins);
    }

    private Op op(OperationView site) {
        int height = site.intValue(HEIGHT);
        int width = site.intValue(WIDTH);
        float rowStride = site.floatValue(STRIDES);
        float columnStride = site.floatValue(STRIDES + 1);
        ByteQuantization quantization = site.isFloat() ? null : site.outQuantization();
        return aligned
                ? new RoiAlignOp(
                        height,
                        width,
                        rowStride,
                        columnStride,
                        site.intValue(site.at("rowSamples")),
                        site.intValue(site.at("columnSamples")),
                        quantization)
                : new RoiPoolOp(height, width, rowStride, columnStride);
    }
}
