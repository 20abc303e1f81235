package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.ROUNDER;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Vectors of bytes to floats and back, V channels of a pixel at a time; only where there are vectors of V bytes. */
final class ByteLanes {
    /** There are no vectors of four bytes. */
    static final boolean SUPPORTED = V >= Long.BYTES;

    private static final VectorSpecies<Byte> BYTES =
            SUPPORTED ? VectorSpecies.of(byte.class, VectorShape.forBitSize(V * Byte.SIZE)) : ByteVector.SPECIES_64;
    private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());

    private ByteLanes() {}

    /** {@code out[i * V + lane] = (byte) (in[at + i * step + lane] ^ flip) - zeroPoint} for {@code count} pixels. */
    static void widen(byte[] in, int at, int step, byte flip, float zeroPoint, float[] out, int outAt, int count) {
        for (int i = 0; i < count; i++) {
            FloatVector value = (FloatVector) ByteVector.fromArray(BYTES, in, at + i * step)
                    .lanewise(VectorOperators.XOR, flip)
                    .convertShape(VectorOperators.B2F, FLOATS, 0);
            value.sub(zeroPoint).intoArray(out, outAt + i * V);
        }
    }

    /**
     * {@code round_half_even(sum * scale)}, limited, plus the zero point: V channels of {@code count} pixels.
     *
     * @param low the {@link Lanes#roundedBits} of the least output less the zero point; high alike
     */
    static void halfEven(
            float[] sums,
            int from,
            int step,
            float[] scales,
            int channel,
            int low,
            int high,
            int zeroPoint,
            byte[] out,
            int at,
            int outStep,
            int count) {
        FloatVector scale = FloatVector.fromArray(FLOATS, scales, channel);
        for (int i = 0; i < count; i++) {
            IntVector bits = FloatVector.fromArray(FLOATS, sums, from + i * step)
                    .mul(scale)
                    .add(ROUNDER)
                    .reinterpretAsInts();
            // The low byte of the bits is the integer's.
            ((ByteVector) bits.max(low).min(high).add(zeroPoint).convertShape(VectorOperators.I2B, BYTES, 0))
                    .intoArray(out, at + i * outStep);
        }
    }

    /** As {@link #halfEven} without a zero point and to floats, in the place of the sums, of adjacent pixels. */
    static void roundHalfEven(float[] sums, int from, float[] scales, int channel, int low, int high, int count) {
        FloatVector scale = FloatVector.fromArray(FLOATS, scales, channel);
        for (int i = 0; i < count; i++) {
            IntVector bits = FloatVector.fromArray(FLOATS, sums, from + i * V)
                    .mul(scale)
                    .add(ROUNDER)
                    .reinterpretAsInts();
            bits.max(low).min(high).reinterpretAsFloats().sub(ROUNDER).intoArray(sums, from + i * V);
        }
    }

    /** {@code value / 2^shift} to nearest, halves away from zero. */
    private static IntVector shifted(IntVector value, IntVector shift, IntVector mask) {
        IntVector threshold =
                mask.lanewise(VectorOperators.LSHR, 1).sub(value.lanewise(VectorOperators.ASHR, Integer.SIZE - 1));
        return value.lanewise(VectorOperators.ASHR, shift)
                .add(1, value.and(mask).compare(VectorOperators.GT, threshold));
    }

    /**
     * {@code out = limit(zeroPoint + (a * multiplierA + b * multiplierB + offset) / 2^shift)}, rounded to nearest,
     * halves away from zero.
     *
     * @param flip what the signs of the bytes are turned by before they are multiplied; the offset makes up for it
     * @param count a multiple of V
     */
    static void sum(
            byte[] a,
            int aAt,
            byte[] b,
            int bAt,
            byte[] out,
            int outAt,
            int count,
            byte flip,
            int multiplierA,
            int multiplierB,
            int offset,
            int shift,
            int zeroPoint,
            int min,
            int max) {
        IntVector by = IntVector.broadcast(INTS, shift);
        IntVector mask = IntVector.broadcast(INTS, (1L << shift) - 1);
        for (int i = 0; i < count; i += V) {
            IntVector sum = ints(a, aAt + i, flip)
                    .mul(multiplierA)
                    .add(ints(b, bAt + i, flip).mul(multiplierB))
                    .add(offset);
            ((ByteVector) shifted(sum, by, mask)
                            .add(zeroPoint)
                            .max(min)
                            .min(max)
                            .convertShape(VectorOperators.I2B, BYTES, 0))
                    .intoArray(out, outAt + i);
        }
    }

    private static IntVector ints(byte[] bytes, int at, byte flip) {
        return (IntVector) ByteVector.fromArray(BYTES, bytes, at)
                .lanewise(VectorOperators.XOR, flip)
                .convertShape(VectorOperators.B2I, INTS, 0);
    }

    /**
     * {@code round_half_even(in * factor)}, limited as by {@link #halfEven}, plus the zero point; the least byte for a
     * NaN.
     *
     * @param count a multiple of V
     */
    static void quantize(
            float[] in, int inAt, byte[] out, int outAt, int count, float factor, int low, int high, int zeroPoint) {
        for (int i = 0; i < count; i += V) {
            FloatVector raised =
                    FloatVector.fromArray(FLOATS, in, inAt + i).mul(factor).add(ROUNDER);
            IntVector bits = raised.reinterpretAsInts()
                    .max(low)
                    .min(high)
                    .blend(low, raised.test(VectorOperators.IS_NAN).cast(INTS));
            ((ByteVector) bits.add(zeroPoint).convertShape(VectorOperators.I2B, BYTES, 0)).intoArray(out, outAt + i);
        }
    }

    /** The sums of V channels of a window of pixels, as signed bytes once their signs are turned by {@code flip}. */
    static void sums(byte[] in, int first, int rows, int rowStep, int cols, int colStep, byte flip, int[] out) {
        IntVector sum = IntVector.zero(INTS);
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < cols; x++) {
                sum = sum.add(ints(in, first + y * rowStep + x * colStep, flip));
            }
        }
        sum.intoArray(out, 0);
    }

    /** As {@link #sums}, the largest of each channel. */
    static void largest(byte[] in, int first, int rows, int rowStep, int cols, int colStep, byte flip, int[] out) {
        IntVector largest = IntVector.broadcast(INTS, Integer.MIN_VALUE);
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < cols; x++) {
                largest = largest.max(ints(in, first + y * rowStep + x * colStep, flip));
            }
        }
        largest.intoArray(out, 0);
    }
}
