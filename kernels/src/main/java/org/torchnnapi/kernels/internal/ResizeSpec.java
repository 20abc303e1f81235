package org.torchnnapi.kernels.internal;

/**
 * A resizing as its plan made it.
 *
 * <p>Floats {@code a} and {@code b} with weights {@code u} and {@code v} are mixed as {@code fma(a, u, b * v)}, along
 * the width and then the height; or all four neighbours at once, {@code fma(a, t, fma(b, u, fma(d, w, c * v)))} of the
 * products of their weights, in the first {@code channels / 8 * 8} channels, and in the others by a sum of doubles.
 *
 * @param byCorners whether four floats are mixed at once
 * @param block channels that lie together
 * @param channels of the image
 */
public record ResizeSpec(
        boolean bilinear, boolean byCorners, int block, int channels, int inH, int inW, Axis rows, Axis cols) {
    /**
     * For every output index its lower and upper neighbour and the upper one's weight; the lower one's is 1 less that.
     */
    public record Axis(int[] low, int[] high, float[] weight) {}

    public int outH() {
        return rows.low.length;
    }

    public int outW() {
        return cols.low.length;
    }
}
