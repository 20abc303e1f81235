package org.torchnnapi.kernels.internal.vector;

/** One thread's buffers for the vector kernels; they grow to the largest plan the thread has run and are kept. */
final class VectorScratch {
    private static final ThreadLocal<VectorScratch> OF_THREAD = ThreadLocal.withInitial(VectorScratch::new);

    /** A tile of output that does not go to its place directly. */
    final float[] tile = new float[2 * Lanes.V * TileKernel.HEIGHT];
    /** The sums of one pixel in {@link PlainTiles}. */
    final float[] sums = new float[2 * Lanes.V];
    /** One vector. */
    final int[] ints = new int[Lanes.V];

    private float[] input = {};
    private float[] output = {};
    private byte[] bytes = {};

    static VectorScratch get() {
        return OF_THREAD.get();
    }

    float[] input(int size) {
        if (input.length < size) {
            input = new float[size];
        }
        return input;
    }

    float[] output(int size) {
        if (output.length < size) {
            output = new float[size];
        }
        return output;
    }

    byte[] bytes(int size) {
        if (bytes.length < size) {
            bytes = new byte[size];
        }
        return bytes;
    }
}
