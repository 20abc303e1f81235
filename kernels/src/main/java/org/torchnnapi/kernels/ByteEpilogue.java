package org.torchnnapi.kernels;

/** What becomes of the bytes that a kernel has just written, while they are in the first cache. */
public interface ByteEpilogue {
    /**
     * Changes rows of {@code count} bytes that begin {@code step} apart.
     *
     * @param residual what may be added, at places like those of the output; may be null where nothing is
     */
    void finish(byte[] residual, int residualOffset, byte[] out, int outOffset, int count, int rows, int step);

    /** The same for bytes that follow each other. */
    default void finish(byte[] residual, int residualOffset, byte[] out, int outOffset, int count) {
        finish(residual, residualOffset, out, outOffset, count, 1, count);
    }
}
