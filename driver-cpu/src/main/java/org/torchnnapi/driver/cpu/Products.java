package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;

/** What convolutions and fully connected layers share: input 0 is multiplied by weights in input 1, with a bias in input 2. */
final class Products {
    private Products() {
    }

    static Problem typeRefusal(Site site) {
        Problem problem = site.typeProblem(0);
        if (problem == null && !site.isFloat()) {
            OperandType weights = site.in(1).type();
            boolean known = weights == site.in(0).type() || weights == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;
            problem = known ? null : Problem.of("weights", weights, "as the input, or per channel");
        }
        return problem;
    }

    /** @param values the weights in the kernels' order */
    static QuantizedWeights weights(Site site, byte[] values) {
        boolean perChannel = site.in(1).channelQuantization() != null;
        return new QuantizedWeights(values, perChannel || site.isSigned(), new int[] {perChannel ? 0 : site.in(1).zeroPoint()});
    }

    /** The runtime's rule: sums are scaled once, in float32, and rounded halves to even. */
    static Requantization requantization(Site site, FusedActivation activation) {
        ChannelQuantization channels = site.in(1).channelQuantization();
        float[] scales = channels == null ? new float[] {site.in(2).scale() / site.out().scale()} : channels.scales();
        for (int i = 0; channels != null && i < scales.length; i++) {
            scales[i] = site.in(0).scale() * scales[i] / site.out().scale();
        }
        return Requantization.halfEven(scales, site.out().zeroPoint(), site.low(activation), site.high(activation));
    }
}
