package org.torchnnapi.torchscript.pickle;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * Scales and zero points of tensors that are quantized per channel, as the tensors that files hold: one element a
 * channel.
 */
public final class ChannelParameters {
    private ChannelParameters() {}

    /** PyTorch keeps per-channel scales in double, and those of the float scheme in float. */
    public static Tensor scales(Quantization.PerChannel q) {
        return q.floatQParams()
                ? Tensor.of(floats(q.scales()), q.scales().length)
                : Tensor.of(DType.FLOAT64, q.scales().clone(), q.scales().length);
    }

    /** PyTorch keeps them in long, and those of the float scheme in float. */
    public static Tensor zeroPoints(Quantization.PerChannel q) {
        if (q.floatQParams()) {
            return Tensor.of(floats(q.zeroPoints()), q.zeroPoints().length);
        }
        long[] values = new long[q.zeroPoints().length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (long) q.zeroPoints()[i];
        }
        return Tensor.of(values, values.length);
    }

    private static float[] floats(double[] values) {
        float[] out = new float[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (float) values[i];
        }
        return out;
    }
}
