package org.torchnnapi.nnapi.op;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The 64-bit fingerprint of FarmHash (its "na" variant, stable by definition), which LSH_PROJECTION is defined by: <a
 * href="https://github.com/google/farmhash">github.com/google/farmhash</a>.
 */
final class Fingerprint64 {
    private static final long K0 = 0xc3a5c85c97cb3127L;
    private static final long K1 = 0xb492b66fbe98f273L;
    private static final long K2 = 0x9ae16a3b2f90404fL;

    private final ByteBuffer bytes;
    private final int length;

    private Fingerprint64(byte[] key) {
        bytes = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
        length = key.length;
    }

    /** The fingerprint of all bytes of {@code key}. */
    static long of(byte[] key) {
        Fingerprint64 hash = new Fingerprint64(key);
        if (key.length <= 16) {
            return hash.upTo16();
        }
        if (key.length <= 32) {
            return hash.upTo32();
        }
        return key.length <= 64 ? hash.upTo64() : hash.beyond64();
    }

    private long word(int at) {
        return bytes.getLong(at);
    }

    private long half(int at) {
        return bytes.getInt(at) & 0xFFFFFFFFL;
    }

    private static long rotate(long value, int by) {
        return Long.rotateRight(value, by);
    }

    private static long shiftMix(long value) {
        return value ^ value >>> 47;
    }

    private static long combine(long u, long v, long factor) {
        long a = shiftMix((u ^ v) * factor);
        return shiftMix((v ^ a) * factor) * factor;
    }

    private long upTo16() {
        long factor = K2 + 2L * length;
        if (length >= 8) {
            long first = word(0) + K2;
            long last = word(length - 8);
            return combine(rotate(last, 37) * factor + first, (rotate(first, 25) + last) * factor, factor);
        }
        if (length >= 4) {
            return combine(length + (half(0) << 3), half(length - 4), factor);
        }
        if (length == 0) {
            return K2;
        }
        long y = (bytes.get(0) & 0xFF) + ((long) (bytes.get(length >> 1) & 0xFF) << 8);
        long z = length + ((long) (bytes.get(length - 1) & 0xFF) << 2);
        return shiftMix(y * K2 ^ z * K0) * K2;
    }

    private long upTo32() {
        long factor = K2 + 2L * length;
        long a = word(0) * K1;
        long b = word(8);
        long c = word(length - 8) * factor;
        long d = word(length - 16) * K2;
        return combine(rotate(a + b, 43) + rotate(c, 30) + d, a + rotate(b + K2, 18) + c, factor);
    }

    private long upTo64() {
        long factor = K2 + 2L * length;
        long a = word(0) * K2;
        long b = word(8);
        long c = word(length - 8) * factor;
        long d = word(length - 16) * K2;
        long y = rotate(a + b, 43) + rotate(c, 30) + d;
        long z = combine(y, a + rotate(b + K2, 18) + c, factor);
        long e = word(16) * factor;
        long f = word(24);
        long g = (y + word(length - 32)) * factor;
        long h = (z + word(length - 24)) * factor;
        return combine(rotate(e + f, 43) + rotate(g, 30) + h, e + rotate(f + a, 18) + g, factor);
    }

    /** 64 bytes at a time into 56 bytes of state; the last, overlapping 64 with another factor. */
    private long beyond64() {
        long seed = 81;
        long x = seed * K2 + word(0);
        long y = seed * K1 + 113;
        long z = shiftMix(y * K2 + 113) * K2;
        long[] v = new long[2];
        long[] w = new long[2];
        int blocks = (length - 1) / 64;
        for (int block = 0; block <= blocks; block++) {
            boolean last = block == blocks;
            int at = last ? length - 64 : block * 64;
            long factor = last ? K1 + ((z & 0xFF) << 1) : K1;
            long weight = last ? 9 : 1;
            if (last) {
                w[0] += length - 1 & 63;
                v[0] += w[0];
                w[0] += v[0];
            }
            x = rotate(x + y + v[0] + word(at + 8), 37) * factor;
            y = rotate(y + v[1] + word(at + 48), 42) * factor;
            x ^= w[1] * weight;
            y += v[0] * weight + word(at + 40);
            z = rotate(z + w[0], 33) * factor;
            absorb(at, v[1] * factor, x + w[0], v);
            absorb(at + 32, z + w[1], y + word(at + 16), w);
            long swap = z;
            z = x;
            x = swap;
            if (last) {
                return combine(
                        combine(v[0], w[0], factor) + shiftMix(y) * K0 + z, combine(v[1], w[1], factor) + x, factor);
            }
        }
        throw new IllegalStateException("length: " + length + " (expected: > 64)");
    }

    private void absorb(int at, long a, long b, long[] state) {
        long first = a + word(at);
        long sum = first + word(at + 8) + word(at + 16);
        state[1] = rotate(b + first + word(at + 24), 21) + rotate(sum, 44) + first;
        state[0] = sum + word(at + 24);
    }
}
