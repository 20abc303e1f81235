package org.torchnnapi.kernels.internal.natives;

/** One thread's buffer for the native float kernels; it grows to the largest plan the thread has run and is kept. */
final class FloatScratch {
    private static final ThreadLocal<FloatScratch> OF_THREAD = new ThreadLocal<>();

    private NativeMemory memory = new NativeMemory(0);

    /** At least {@code floats} floats with any content. */
    static NativeMemory get(long floats) {
        if (floats == 0) {
            return null;
        }
        FloatScratch scratch = OF_THREAD.get();
        if (scratch == null) {
            scratch = new FloatScratch();
            OF_THREAD.set(scratch);
        }
        if (scratch.memory.size() < floats * Float.BYTES) {
            scratch.memory = new NativeMemory(floats * Float.BYTES);
        }
        return scratch.memory;
    }
}
