package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.program.Op;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;

/** CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D and TRANSPOSE_CONV_2D with constant weights. */
final class ConvolutionKind implements Kind {
    @Override
    public Problem typeRefusal(Site site) {
        return ProductWeights.typeRefusal(site);
    }

    @Override
    public Problem refusal(Site site) {
        try {
            return ConvolutionGeometry.of(site).problem(site);
        } catch (IllegalArgumentException e) {
            return Problem.ofMessage(e.getMessage());
        }
    }

    @Override
    public void translate(Site site, Translation translation) {
        ConvolutionGeometry geometry = ConvolutionGeometry.of(site);
        FusedActivation activation = FusedActivation.ofCode(geometry.activation());
        translation.result(site, site.isFloat() ? real(site, geometry, activation) : quantized(site, geometry, activation), translation.in(site, 0));
    }

    private static Op real(Site site, ConvolutionGeometry geometry, FusedActivation activation) {
        WeightOrder order = WeightOrder.of(site, geometry.shape());
        Weights weights = order == null ? site.weights(ProductWeights.WEIGHTS) : new Ordered(site, order);
        return new ConvolutionOp(geometry.shape(), geometry.layout(), weights, site.floats(ProductWeights.BIAS), Site.clamp(activation.ordinal()));
    }

    /** Weights that are brought into the kernels' order when they are packed. */
    private record Ordered(Site site, WeightOrder order) implements Weights {
        @Override
        public int length() {
            return order.count();
        }

        @Override
        public float[] values() {
            return order.floats(site.operand(ProductWeights.WEIGHTS));
        }
    }

    private static Op quantized(Site site, ConvolutionGeometry geometry, FusedActivation activation) {
        WeightOrder order = WeightOrder.of(site, geometry.shape());
        byte[] weights = order == null ? site.bytes(ProductWeights.WEIGHTS) : order.bytes(site.operand(ProductWeights.WEIGHTS).value());
        return new QuantizedConvolutionOp(geometry.shape(), geometry.layout(), ProductWeights.weights(site, weights), site.ints(ProductWeights.BIAS),
                ProductWeights.requantization(site, activation), site.outQuantization());
    }
}
