package org.torchnnapi.kernels.internal.foreign;

/** One thread's buffers for the native kernels; they grow to the largest plan the thread has run and are kept. */
final class ByteScratch {
    private static final ThreadLocal<ByteScratch> OF_THREAD = ThreadLocal.withInitial(ByteScratch::new);

    private byte[] input = {};

    static ByteScratch get() {
        return OF_THREAD.get();
    }

    byte[] input(int size) {
        if (input.length < size) {
            input = new byte[size];
        }
        return input;
    }
}
