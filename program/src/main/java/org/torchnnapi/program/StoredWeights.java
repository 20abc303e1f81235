package org.torchnnapi.program;

import java.nio.ByteBuffer;
import org.torchnnapi.kernels.MappedPages;

/** Weights that lie in a model's file; see {@link Weights#stored}. */
record StoredWeights(ByteBuffer bytes) implements Weights {
    @Override
    public int length() {
        return bytes.remaining() / Float.BYTES;
    }

    @Override
    public float[] values() {
        float[] values = new float[length()];
        bytes.asFloatBuffer().get(values);
        MappedPages.release(bytes);
        return values;
    }

    @Override
    public float[] copy() {
        return values();
    }
}
