package org.torchnnapi.kernels.internal;

/**
 * A resizing as its plan made it.
 *
 * @param block channels that lie together
 */
public record ResizeSpec(boolean bilinear, int block, int inH, int inW, Axis rows, Axis cols) {
    /** For every output index its lower and upper neighbour and the upper one's weight. */
    public record Axis(int[] low, int[] high, float[] weight) {
    }

    public int outH() {
        return rows.low.length;
    }

    public int outW() {
        return cols.low.length;
    }
}
