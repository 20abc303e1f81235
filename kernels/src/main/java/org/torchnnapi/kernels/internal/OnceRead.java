package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Weights;
import org.torchnnapi.kernels.WeightsOrigin;

/** Weights that are read when they are first asked for, and then kept as long as this is. */
final class OnceRead implements Weights {
    private final Weights from;
    private volatile float[] read;

    OnceRead(Weights from) {
        this.from = from;
    }

    @Override
    public int length() {
        return from.length();
    }

    @Override
    public float[] values() {
        float[] values = read;
        if (values == null) {
            values = from.values();
            read = values;
        }
        return values;
    }

    @Override
    public WeightsOrigin origin() {
        return from.origin();
    }
}
