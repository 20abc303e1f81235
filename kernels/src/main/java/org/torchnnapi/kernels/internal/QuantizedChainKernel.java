package org.torchnnapi.kernels.internal;

/** A packed chain of quantized convolutions of one image, ready to run. Arguments were checked by the public plan. */
public interface QuantizedChainKernel {
    /** How many independent shares the work has. */
    int units();

    /** Does units [begin, end); the residual is read only where the chain adds one. */
    void run(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end);

    /**
     * As {@link #run}, of the same images by the thread that did the units before {@code begin} last: what its scratch
     * has of them is used.
     */
    default void resume(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        run(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }
}
