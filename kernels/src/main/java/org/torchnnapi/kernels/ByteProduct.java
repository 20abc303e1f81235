package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.ByteProductKernel;

/**
 * Element-wise product of two quantized runs of bytes: the integers less their zero points are multiplied, that is
 * multiplied by a factor in float, and rounded to nearest, halves to even. Where the factor has a rest that float does
 * not hold, that decides between neighbours. Planned once.
 */
public final class ByteProduct {
    private static final int BYTES = 256;
    private static final float HALF = 0.5f;

    private final boolean signed;
    private final int zeroA;
    private final int zeroB;
    private final float factor;
    private final float rest;
    private final int zeroPoint;
    private final int min;
    private final int max;
    private final ByteProductKernel kernel;

    private ByteProduct(
            boolean signed, int zeroA, int zeroB, float factor, float rest, int zeroPoint, int min, int max) {
        this.signed = signed;
        this.zeroA = zeroA;
        this.zeroB = zeroB;
        this.factor = factor;
        this.rest = rest;
        this.zeroPoint = zeroPoint;
        this.min = min;
        this.max = max;
        kernel = Kernels.bytes().product(this);
    }

    /**
     * The product that gives just these results: by PyTorch's factor in float, or by NNAPI's in double.
     *
     * @param table the result by 256 times the unsigned value of the first byte plus that of the second, 65536 bytes
     * @param signed whether all bytes are -128 to 127 (otherwise 0 to 255)
     * @return null if neither does for all pairs
     */
    public static ByteProduct of(
            byte[] table,
            boolean signed,
            float scaleA,
            int zeroA,
            float scaleB,
            int zeroB,
            float scale,
            int zeroPoint) {
        Check.length("table", table.length, BYTES * BYTES);
        int mask = signed ? -1 : BYTES - 1;
        int min = Integer.MAX_VALUE;
        int max = Integer.MIN_VALUE;
        for (byte result : table) {
            min = Math.min(min, result & mask);
            max = Math.max(max, result & mask);
        }
        double exact = (double) scaleA * scaleB / scale;
        for (boolean twice : new boolean[] {false, true}) {
            float factor = twice ? (float) exact : scaleA * scaleB * (1 / scale);
            float rest = twice ? (float) (exact - factor) : 0;
            if (!(factor > 0) || Float.isInfinite(factor) || Float.isNaN(rest)) {
                continue;
            }
            ByteProduct product = new ByteProduct(signed, zeroA, zeroB, factor, rest, zeroPoint, min, max);
            if (product.gives(table)) {
                return product;
            }
        }
        return null;
    }

    /** Whether a product is faster here than {@link Quantizing#lookUpPairs}. */
    public static boolean isFast() {
        return Kernels.bytes().multipliesFast();
    }

    private boolean gives(byte[] table) {
        int mask = signed ? -1 : BYTES - 1;
        for (int i = 0; i < table.length; i++) {
            if ((byte) apply((byte) (i >> 8) & mask, (byte) i & mask) != table[i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether the bytes are -128 to 127. */
    public boolean isSigned() {
        return signed;
    }

    public int zeroA() {
        return zeroA;
    }

    public int zeroB() {
        return zeroB;
    }

    /** What products are multiplied by. */
    public float factor() {
        return factor;
    }

    /** What is to be added to the factor where products are nearly halves. */
    public float rest() {
        return rest;
    }

    public int zeroPoint() {
        return zeroPoint;
    }

    public int min() {
        return min;
    }

    public int max() {
        return max;
    }

    /** The same product of the same two values given the other way round. */
    public ByteProduct swapped() {
        return new ByteProduct(signed, zeroB, zeroA, factor, rest, zeroPoint, min, max);
    }

    /** The product of two bytes, given as their signed or unsigned values. */
    public int apply(int a, int b) {
        float x = (a - zeroA) * (b - zeroB);
        float whole = x * factor;
        float steps = Math.min(Math.max(whole, min - zeroPoint), max - zeroPoint);
        int nearest = (int) Math.rint(steps);
        if (rest != 0) {
            float half = steps - nearest;
            float lost = (float) ((double) x * factor - whole) + x * rest;
            nearest += half == HALF && lost > 0 ? 1 : half == -HALF && lost < 0 ? -1 : 0;
        }
        return nearest + zeroPoint;
    }

    /**
     * {@code out[r count + i] = a[r count + i] * b[r bRow + i bStep]}, for all rows r; out may be {@code a}.
     *
     * @param bStep elements from one to the next in a row, 1, or 0 where one serves a row
     * @param bRow elements from one row to the next; 0 where one serves all
     */
    public void run(
            byte[] a,
            int aOffset,
            byte[] b,
            int bOffset,
            int bStep,
            int bRow,
            byte[] out,
            int outOffset,
            int count,
            int rows) {
        Check.atLeast("rows", rows, 1);
        Check.atLeast("step", Math.min(bStep, bRow), 0);
        int size = Math.multiplyExact(rows, count);
        Check.room("a", a.length, aOffset, size);
        Check.room("b", b.length, bOffset, size == 0 ? 0 : (rows - 1L) * bRow + (count - 1L) * bStep + 1);
        Check.room("output", out.length, outOffset, size);
        kernel.run(a, aOffset, b, bOffset, bStep, bRow, out, outOffset, count, rows);
    }
}
