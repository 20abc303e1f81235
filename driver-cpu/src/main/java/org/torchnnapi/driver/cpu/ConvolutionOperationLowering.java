package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;

/**
 * CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D and TRANSPOSE_CONV_2D with constant weights. Groups of single pixels with
 * floats that come at run time are a batch of matrix products.
 */
final class ConvolutionOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        return ProductWeights.typeRefusal(site);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input > ProductWeights.BIAS || input > 0 && !isBatch(site);
    }

    /** Whether each pixel's groups meet filters of one pixel, one group each. */
    private static boolean isBatch(OperationView site) {
        boolean known = site.operation().type() == OperationType.GROUPED_CONV_2D && site.isFloat();
        for (int input = ProductWeights.BIAS + 1;
                known && input < site.operation().inputs().length;
                input++) {
            known = site.isConstant(input);
        }
        if (!known || site.flagged(site.at("layout")) != ImageLayout.NHWC) {
            return false;
        }
        int[] filter = site.in(ProductWeights.WEIGHTS).dimensions();
        boolean padded = site.at("paddingLeft") >= 0
                && (site.intValue(site.at("paddingLeft"))
                                | site.intValue(site.at("paddingRight"))
                                | site.intValue(site.at("paddingTop"))
                                | site.intValue(site.at("paddingBottom")))
                        != 0;
        return filter[1] == 1
                && filter[2] == 1
                && site.intValue(site.at("strideWidth")) == 1
                && site.intValue(site.at("strideHeight")) == 1
                && !padded;
    }

    @Override
    public Problem refusal(OperationView site) {
        try {
            return ConvolutionGeometry.of(site).problem(site);
        } catch (IllegalArgumentException e) {
            return Problem.ofMessage(e.getMessage());
        }
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        ConvolutionGeometry geometry = ConvolutionGeometry.of(site);
        FusedActivation activation = FusedActivation.ofCode(geometry.activation());
        if (!site.isConstant(ProductWeights.WEIGHTS) || !site.isConstant(ProductWeights.BIAS)) {
            batch(site, geometry.shape(), activation, translation);
            return;
        }
        translation.result(
                site,
                site.isFloat() ? real(site, geometry, activation) : quantized(site, geometry, activation),
                translation.in(site, 0));
    }

    private static void batch(
            OperationView site, ConvShape shape, FusedActivation activation, Translation translation) {
        int groups = shape.groups();
        int channels = shape.inC() / groups;
        int filters = shape.outC() / groups;
        int pixels = Math.toIntExact(site.in(0).elementCount() / shape.inC());
        int[] grouped = {1, 0, 2};
        int image = translation.add(
                new TransposeOp(grouped),
                translation.add(new ReshapeOp(new int[] {pixels, groups, channels}), translation.in(site, 0)));
        int weights = translation.add(
                new ReshapeOp(new int[] {groups, filters, channels}), translation.in(site, ProductWeights.WEIGHTS));
        int product = translation.add(
                new TransposeOp(grouped), translation.add(new MatrixProductOp(true, 1), image, weights));
        ProductWeights.biased(
                site, translation.add(new ReshapeOp(site.out().dimensions()), product), activation, translation);
    }

    private static Op real(OperationView site, ConvolutionGeometry geometry, FusedActivation activation) {
        WeightOrder order = WeightOrder.of(site, geometry.shape());
        Weights weights = order == null ? site.weights(ProductWeights.WEIGHTS) : new Ordered(site, order);
        return new ConvolutionOp(
                geometry.shape(),
                geometry.layout(),
                weights,
                site.floats(ProductWeights.BIAS),
                Activation.of(OperationView.clamp(activation.ordinal())),
                site.precision());
    }

    /** Weights that are brought into the kernels' order when they are packed. */
    private record Ordered(OperationView site, WeightOrder order) implements Weights {
        @Override
        public int length() {
            return order.count();
        }

        @Override
        public float[] values() {
            return order.floats(site.operand(ProductWeights.WEIGHTS));
        }
    }

    private static Op quantized(OperationView site, ConvolutionGeometry geometry, FusedActivation activation) {
        WeightOrder order = WeightOrder.of(site, geometry.shape());
        byte[] weights = order == null
                ? site.bytes(ProductWeights.WEIGHTS)
                : order.bytes(site.operand(ProductWeights.WEIGHTS).value());
        return new QuantizedConvolutionOp(
                geometry.shape(),
                geometry.layout(),
                ProductWeights.weights(site, weights),
                site.ints(ProductWeights.BIAS),
                ProductWeights.requantization(site, activation),
                site.outQuantization());
    }
}
