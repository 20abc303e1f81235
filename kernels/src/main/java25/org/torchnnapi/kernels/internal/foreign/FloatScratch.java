package org.torchnnapi.kernels.internal.foreign;

/** One thread's buffer for the native float kernels; it grows to the largest plan the thread has run and is kept. */
final class FloatScratch {
    private static final ThreadLocal<FloatScratch> OF_THREAD = ThreadLocal.withInitial(FloatScratch::new);

    private float[] floats = {};

    /** At least {@code size} floats with any content. */
    static float[] get(int size) {
        FloatScratch scratch = OF_THREAD.get();
        if (scratch.floats.length < size) {
            scratch.floats = new float[size];
        }
        return scratch.floats;
    }
}
