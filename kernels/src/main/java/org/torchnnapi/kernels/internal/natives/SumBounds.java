package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/** Between which integers all sums of a convolution lie, whatever its input bytes are. */
record SumBounds(long least, long most) {
    /** How far the bytes of an input are apart, at most. */
    private static final int SPAN = 255;

    static SumBounds of(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        int count = spec.weights().values().length;
        // Transposed weights are not grouped by output channel: every one counts for each.
        int perChannel = shape.transposed() ? count : count / shape.outC();
        long[] sums = WeightBytes.sums(spec.weights(), shape.outC(), perChannel, shape.transposed() ? 0 : perChannel);
        int below = spec.inputZeroPoint() + (spec.signedInput() ? 128 : 0);
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (int oc = 0; oc < shape.outC(); oc++) {
            long sum = sums[2 * oc];
            long magnitude = sums[2 * oc + 1];
            long positive = (magnitude + sum) / 2;
            long negative = (magnitude - sum) / 2;
            least = Math.min(least, spec.bias()[oc] - positive * below - negative * (SPAN - below));
            most = Math.max(most, spec.bias()[oc] + positive * (SPAN - below) + negative * below);
        }
        return new SumBounds(least, most);
    }
}
