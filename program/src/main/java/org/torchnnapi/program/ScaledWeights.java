package org.torchnnapi.program;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.ImageLayout;

/** Weights times factors; see {@link Weights#scaled}. */
record ScaledWeights(Weights weights, float[] factors) implements Weights {
    @Override
    public int length() {
        return weights.length();
    }

    @Override
    public float[] values() {
        float[] values = weights.copy();
        ElementwiseOps.perChannel(BinaryOp.MUL, ImageLayout.NCHW, factors.length, values.length / factors.length, values, 0, factors, 0,
            values, 0, Clamp.NONE);
        return values;
    }

    @Override
    public float[] copy() {
        return values();
    }
}
