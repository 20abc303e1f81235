package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ReshapeOp;

/**
 * What convolutions and fully connected layers share: the input is multiplied by weights, with a bias, at the same
 * positions in all.
 */
final class ProductWeights {
    static final int WEIGHTS = OperationView.input(OperationType.FULLY_CONNECTED, "weights");
    static final int BIAS = OperationView.input(OperationType.FULLY_CONNECTED, "bias");

    private ProductWeights() {}

    static Problem typeRefusal(OperationView site) {
        Problem problem = site.typeProblem(0);
        if (problem == null && !site.isFloat()) {
            OperandType weights = site.in(WEIGHTS).type();
            boolean known = weights == site.in(0).type() || weights == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;
            problem = known ? null : Problem.of("weights", weights, "as the input, or per channel");
        }
        return problem;
    }

    /** @param values the weights in the kernels' order */
    static QuantizedWeights weights(OperationView site, byte[] values) {
        boolean perChannel = site.in(WEIGHTS).channelQuantization() != null;
        return new QuantizedWeights(values, perChannel || site.isSigned(), new int[] {
            perChannel ? 0 : site.in(WEIGHTS).zeroPoint()
        });
    }

    /** The runtime's rule: sums are scaled once, in float32, and rounded halves to even. */
    static Requantization requantization(OperationView site, FusedActivation activation) {
        ChannelQuantization channels = site.in(WEIGHTS).channelQuantization();
        float[] scales = channels == null
                ? new float[] {site.in(BIAS).scale() / site.out().scale()}
                : channels.scales();
        for (int i = 0; channels != null && i < scales.length; i++) {
            scales[i] = site.in(0).scale() * scales[i] / site.out().scale();
        }
        return Requantization.halfEven(scales, site.out().zeroPoint(), site.low(activation), site.high(activation));
    }

    /** The site's result, a product of floats of the result's shape with its bias and limits. */
    static void biased(OperationView site, int product, FusedActivation activation, Translation translation) {
        Clamp limits = OperationView.clamp(activation.ordinal());
        if (limits.isNone() && site.isConstant(BIAS) && isZero(site.floats(BIAS))) {
            translation.result(site, new ReshapeOp(site.out().dimensions()), product);
        } else {
            translation.result(site, new BinaryMathOp(BinaryOp.ADD, limits), product, translation.in(site, BIAS));
        }
    }

    private static boolean isZero(float[] values) {
        for (float value : values) {
            if (value != 0) {
                return false;
            }
        }
        return true;
    }
}
