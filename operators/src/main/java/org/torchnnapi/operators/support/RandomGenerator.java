package org.torchnnapi.operators.support;

import java.security.SecureRandom;

/**
 * PyTorch's random numbers on the CPU: after the same seed the same sequence. The generator is MT19937 (Matsumoto and
 * Nishimura, "Mersenne Twister", 1998), and each distribution takes from it what PyTorch's takes (ATen/core:
 * DistributionsHelper.h, TransformationHelper.h), so that what comes later is the same too.
 *
 * <p>Methods are not synchronized: an operator holds the generator's monitor while it fills a tensor.
 */
public final class RandomGenerator {
    private static final int SIZE = 624;
    private static final int SHIFT = 397;
    private static final RandomGenerator SHARED = new RandomGenerator(new SecureRandom().nextLong());

    private final int[] state = new int[SIZE];
    private int next;
    /** The second number of the last pair, NaN for none. */
    private double spareNormal;

    public RandomGenerator(long seed) {
        seed(seed);
    }

    /**
     * The one that operators without a generator of their own take numbers from; seeded by chance until it is given a
     * seed.
     */
    public static RandomGenerator shared() {
        return SHARED;
    }

    /** Starts the sequence of a seed, of which the lower 32 bits count, as {@code torch.manual_seed} does. */
    public synchronized void seed(long seed) {
        state[0] = (int) seed;
        for (int i = 1; i < SIZE; i++) {
            state[i] = 1812433253 * (state[i - 1] ^ state[i - 1] >>> 30) + i;
        }
        next = SIZE;
        spareNormal = Double.NaN;
    }

    private void twist() {
        for (int i = 0; i < SIZE; i++) {
            int mixed = state[i] & 0x80000000 | state[(i + 1) % SIZE] & 0x7fffffff;
            state[i] = state[(i + SHIFT) % SIZE] ^ mixed >>> 1 ^ ((mixed & 1) == 0 ? 0 : 0x9908b0df);
        }
        next = 0;
    }

    /** 32 random bits. */
    public int bits() {
        if (next == SIZE) {
            twist();
        }
        int y = state[next++];
        y ^= y >>> 11;
        y ^= y << 7 & 0x9d2c5680;
        y ^= y << 15 & 0xefc60000;
        return y ^ y >>> 18;
    }

    /** 64 random bits, the upper half first. */
    public long longBits() {
        long high = bits();
        return high << 32 | bits() & 0xffffffffL;
    }

    /** In [0, 1), a multiple of {@code 2^-digits}, of 32 bits. */
    public double fraction(int digits) {
        return (bits() & (1 << digits) - 1) * Math.scalb(1.0, -digits);
    }

    /** In [0, 1), a multiple of 2^-24. */
    public float nextFloat() {
        return (bits() & 0xffffff) * 0x1p-24f;
    }

    /** In [0, 1), a multiple of 2^-53. */
    public double nextDouble() {
        return (longBits() & (1L << 53) - 1) * 0x1p-53;
    }

    /** Of mean 0 and deviation 1, by Box and Muller's method; every other call gives the second of a pair. */
    public double nextNormal() {
        if (!Double.isNaN(spareNormal)) {
            double spare = spareNormal;
            spareNormal = Double.NaN;
            return spare;
        }
        double turn = nextDouble();
        double radius = Math.sqrt(-2 * Math.log(1 - nextDouble()));
        double theta = 2 * Math.PI * turn;
        spareNormal = radius * Math.sin(theta);
        return radius * Math.cos(theta);
    }

    /** Of rate {@code lambda}. */
    public double nextExponential(double lambda) {
        return -1 / lambda * Math.log(1 - nextDouble());
    }
}
