package org.torchnnapi.kernels.internal.natives;

import java.util.Arrays;
import org.torchnnapi.kernels.QuantizedWeights;

/** What is done in C to the bytes of weights when a convolution is planned: weights.c. */
final class WeightBytes {
    private WeightBytes() {}

    /** What turns stored weights into signed bytes: 128 where they have no sign, as that takes 128 from them. */
    static int flip(QuantizedWeights weights) {
        return weights.signed() ? 0 : 0x80;
    }

    /** The least and the largest of the stored weights, as signed bytes. */
    static int[] range(QuantizedWeights weights) {
        int[] range = new int[2];
        WeightsCalls.weightsRange(weights.values(), range, weights.values().length, flip(weights));
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
        WeightsCalls.weightsSums(
                weights.values(), zeroPoints(weights, channels), sums, channels, count, step, flip(weights));
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
        NativeMemory places = new PlacesStruct()
                .zeros(NativeMemory.copyOf(zeroPoints(weights, channels.length)))
                .channels(NativeMemory.copyOf(channels))
                .taps(NativeMemory.copyOf(taps))
                .memory();
        WeightsCalls.weightsPlace(places, weights.values(), out, outAt, channels.length, taps.length);
    }

    /** A matrix of {@code rows} rows with columns in another order, zero points where {@code order} is no column. */
    static QuantizedWeights reordered(QuantizedWeights weights, int rows, int[] order) {
        byte[] values = new byte[Math.multiplyExact(rows, order.length)];
        WeightsCalls.weightsReorder(
                zeroPoints(weights, rows),
                weights.values(),
                order,
                values,
                rows,
                weights.values().length / rows,
                order.length);
        return new QuantizedWeights(values, weights.signed(), weights.zeroPoints());
    }
}
