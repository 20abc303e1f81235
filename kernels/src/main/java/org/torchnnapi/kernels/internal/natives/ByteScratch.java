package org.torchnnapi.kernels.internal.natives;

/**
 * One thread's working memory for the native kernels; each grows to the largest plan the thread has run and is kept.
 */
final class ByteScratch {
    private static final ThreadLocal<ByteScratch> OF_THREAD = ThreadLocal.withInitial(ByteScratch::new);

    private NativeMemory work = new NativeMemory(0);
    private NativeMemory staged = new NativeMemory(0);
    private NativeMemory between = new NativeMemory(0);

    static ByteScratch get() {
        return OF_THREAD.get();
    }

    /** What one call of a kernel needs. */
    NativeMemory work(long size) {
        if (work.size() < size) {
            work = new NativeMemory(size);
        }
        return work;
    }

    /** The bytes of an input that a kernel wants in another form. */
    NativeMemory staged(long size) {
        if (staged.size() < size) {
            staged = new NativeMemory(size);
        }
        return staged;
    }

    /** Parts of the images between the stages of a chain. */
    NativeMemory between(long size) {
        if (between.size() < size) {
            between = new NativeMemory(size);
        }
        return between;
    }
}
