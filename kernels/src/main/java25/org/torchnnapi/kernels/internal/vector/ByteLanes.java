package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
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
    private static final VectorSpecies<Long> LONGS = VectorSpecies.of(long.class, FLOATS.vectorShape());
    /** 1.5 * 2^23: a small number plus this is rounded half to even, and its integer is in the low bits. */
    private static final float ROUNDER = 0x1.8p23f;

    private ByteLanes() {
    }

    /** {@code out[i * V + lane] = (byte) (in[at + i * step + lane] ^ flip) - zeroPoint} for {@code count} pixels. */
    static void widen(byte[] in, int at, int step, byte flip, float zeroPoint, float[] out, int outAt, int count) {
        for (int i = 0; i < count; i++) {
            FloatVector value = (FloatVector) ByteVector.fromArray(BYTES, in, at + i * step).lanewise(VectorOperators.XOR, flip)
                .convertShape(VectorOperators.B2F, FLOATS, 0);
            value.sub(zeroPoint).intoArray(out, outAt + i * V);
        }
    }

    /**
     * {@code round_half_even(sum * scale)} limited to [low, high], plus the zero point: V channels of {@code count} pixels.
     *
     * @param low the least output less the zero point; high alike
     */
    static void halfEven(float[] sums, int from, int step, float[] scales, int channel, float low, float high, int zeroPoint, byte[] out,
                         int at, int outStep, int count) {
        FloatVector scale = FloatVector.fromArray(FLOATS, scales, channel);
        for (int i = 0; i < count; i++) {
            FloatVector scaled = FloatVector.fromArray(FLOATS, sums, from + i * step).mul(scale).max(low).min(high);
            IntVector rounded = scaled.add(ROUNDER).reinterpretAsInts().add(zeroPoint);
            ((ByteVector) rounded.convertShape(VectorOperators.I2B, BYTES, 0)).intoArray(out, at + i * outStep);
        }
    }

    /**
     * The fixed-point rule: {@code floor((sum * multiplier + 2^30) / 2^31)}, shifted right by {@code shifts} to nearest with halves away
     * from zero, plus the zero point, limited to [min, max].
     */
    static void fixedPoint(float[] sums, int from, int step, long[] multipliers, int[] shifts, int[] masks, int channel, int min, int max,
                           int zeroPoint, byte[] out, int at, int outStep, int count) {
        LongVector firstMultiplier = LongVector.fromArray(LONGS, multipliers, channel);
        LongVector secondMultiplier = LongVector.fromArray(LONGS, multipliers, channel + V / 2);
        IntVector shift = IntVector.fromArray(INTS, shifts, channel);
        IntVector mask = IntVector.fromArray(INTS, masks, channel);
        IntVector half = mask.lanewise(VectorOperators.LSHR, 1);
        for (int i = 0; i < count; i++) {
            IntVector sum = (IntVector) FloatVector.fromArray(FLOATS, sums, from + i * step).convert(VectorOperators.F2I, 0);
            IntVector first = (IntVector) high((LongVector) sum.convert(VectorOperators.I2L, 0), firstMultiplier)
                .convert(VectorOperators.L2I, 0);
            IntVector second = (IntVector) high((LongVector) sum.convert(VectorOperators.I2L, 1), secondMultiplier)
                .convert(VectorOperators.L2I, -1);
            IntVector high = first.or(second);
            IntVector threshold = half.sub(high.lanewise(VectorOperators.ASHR, Integer.SIZE - 1));
            IntVector shifted = high.lanewise(VectorOperators.ASHR, shift);
            IntVector rounded = shifted.add(1, high.and(mask).compare(VectorOperators.GT, threshold));
            ((ByteVector) rounded.add(zeroPoint).max(min).min(max).convertShape(VectorOperators.I2B, BYTES, 0))
                .intoArray(out, at + i * outStep);
        }
    }

    private static LongVector high(LongVector sum, LongVector multiplier) {
        return sum.mul(multiplier).add(1L << 30).lanewise(VectorOperators.ASHR, 31);
    }
}
