package org.torchnnapi.kernels;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

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
    public FloatBuffer view() {
        return bytes.asFloatBuffer().asReadOnlyBuffer();
    }
}
