package org.torchnnapi.kernels.internal.natives;

import java.util.Arrays;
import org.torchnnapi.kernels.QuantizedWeights;

/** What is done in C to the bytes of weights when a convolution is planned: weights.c. */
final class WeightBytes {
    private static final NativeCall RANGE = NativeCall.of("weights_range");
    private static final NativeCall SUMS = NativeCall.of("weights_sums");
    private static final NativeCall PLACE = NativeCall.of("weights_place");
    private static final NativeCall REORDER = NativeCall.of("weights_reorder");
    private static final int PLACES_SIZE = 24;

    private WeightBytes() {}

    /** What turns stored weights into signed bytes: 128 where they have no sign, as that takes 128 from them. */
    static int flip(QuantizedWeights weights) {
        return weights.signed() ? 0 : 0x80;
    }

    /** The least and the largest of the stored weights, as signed bytes. */
    static int[] range(QuantizedWeights weights) {
        int[] range = new int[2];
        RANGE.run(
                null, weights.values(), 0, null, 0, range, 0, flip(weights), weights.values().length, 0, 0, 0, 0, 0, 0);
        return range;
    }

    /** The zero points of so many output channels. */
    static int[] zeroPoints(QuantizedWeights weights, int channels) {
        int[] known = weights.zeroPoints();
        if (known.length == channels) {
            return known;
        }
        int[] all = new int[channels];
        Arrays.fill(all, known[0]);
        return all;
    }

    /**
     * For each output channel the sum of its weights less their zero point, and the sum of their magnitudes.
     *
     * @param count weights of a channel, in a row
     * @param step from a channel's first weight to that of the next
     */
    static long[] sums(QuantizedWeights weights, int channels, int count, int step) {
        long[] sums = new long[2 * channels];
        SUMS.run(
                null,
                weights.values(),
                0,
                zeroPoints(weights, channels),
                0,
                sums,
                0,
                flip(weights),
                channels,
                count,
                step,
                0,
                0,
                0,
                0);
        return sums;
    }

    /**
     * Writes weights less their zero points, which must be signed bytes, each where a kernel reads it.
     *
     * @param channels where each channel's weights begin
     * @param taps how far behind that the weight of each tap is
     * @param outAt where a beginning of 0 is in {@code out}
     */
    static void place(QuantizedWeights weights, int[] channels, int[] taps, NativeMemory out, int outAt) {
        NativeMemory places = new NativeStruct(PLACES_SIZE)
                .pointers(
                        NativeMemory.copyOf(zeroPoints(weights, channels.length)),
                        NativeMemory.copyOf(channels),
                        NativeMemory.copyOf(taps))
                .memory();
        PLACE.run(places, weights.values(), 0, null, 0, out, outAt, 0, channels.length, taps.length, 0, 0, 0, 0, 0);
    }

    /** A matrix of {@code rows} rows with columns in another order, zero points where {@code order} is no column. */
    static QuantizedWeights reordered(QuantizedWeights weights, int rows, int[] order) {
        byte[] values = new byte[Math.multiplyExact(rows, order.length)];
        REORDER.run(
                zeroPoints(weights, rows),
                weights.values(),
                0,
                order,
                0,
                values,
                0,
                0,
                rows,
                weights.values().length / rows,
                order.length,
                0,
                0,
                0,
                0);
        return new QuantizedWeights(values, weights.signed(), weights.zeroPoints());
    }
}
