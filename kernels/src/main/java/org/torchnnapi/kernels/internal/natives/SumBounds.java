package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/** Between which integers all sums of a convolution lie, whatever its input bytes are. */
record SumBounds(long least, long most) {
    /** How far the bytes of an input are apart, at most. */
    private static final int SPAN = 255;

    static SumBounds of(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        byte[] values = spec.weights().values();
        // Transposed weights are not grouped by output channel: every one counts for each.
        int perChannel = shape.transposed() ? values.length : values.length / shape.outC();
        int below = spec.inputZeroPoint() + (spec.signedInput() ? 128 : 0);
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (int oc = 0; oc < shape.outC(); oc++) {
            int first = shape.transposed() ? 0 : oc * perChannel;
            long sum = 0;
            long magnitude = 0;
            int flip = spec.weights().signed() ? 0 : 0x80;
            int zero = spec.weights().zeroPoint(oc) - flip;
            for (int i = first; i < first + perChannel; i++) {
                int weight = (byte) (values[i] ^ flip) - zero;
                sum += weight;
                magnitude += Math.abs(weight);
            }
            long positive = (magnitude + sum) / 2;
            long negative = (magnitude - sum) / 2;
            least = Math.min(least, spec.bias()[oc] - positive * below - negative * (SPAN - below));
            most = Math.max(most, spec.bias()[oc] + positive * (SPAN - below) + negative * below);
        }
        return new SumBounds(least, most);
    }
}
