package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.QuantizedBilinearOp;
import org.torchnnapi.program.op.ResizeOp;

/** RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR; the output's shape tells what sizes or factors mean. */
record ResizeOperationLowering(boolean bilinear) implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.RESIZE_BILINEAR);
    private static final int LAYOUT = INPUTS.at("layout");
    private static final int ALIGN_CORNERS = INPUTS.at("alignCorners");
    private static final int HALF_PIXEL_CENTERS = INPUTS.at("halfPixelCenters");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        return site.problem(op(site), 1);
    }

    private Op op(OperationView site) {
        ImageLayout layout = site.flagged(LAYOUT);
        int[] in = ConvolutionGeometry.image(site.in(0).dimensions(), layout);
        int[] out = ConvolutionGeometry.image(site.out().dimensions(), layout);
        Coordinates coordinates = site.intValue(ALIGN_CORNERS, 0) != 0
                ? Coordinates.ALIGN_CORNERS
                : site.intValue(HALF_PIXEL_CENTERS, 0) != 0 ? Coordinates.HALF_PIXEL : Coordinates.ASYMMETRIC;
        if (bilinear && !site.isFloat()) {
            return new QuantizedBilinearOp(layout, out[1], out[2], coordinates);
        }
        return new ResizeOp(
                bilinear ? ResizeOp.Interpolation.BILINEAR : ResizeOp.Interpolation.NEAREST,
                layout,
                out[1],
                out[2],
                coordinates,
                (float) in[1] / out[1],
                (float) in[2] / out[2],
                Rounding.HALF_EVEN);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, op(site), translation.in(site, 0));
    }
}
