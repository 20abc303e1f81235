package org.torchnnapi.torchscript.aten.support;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * A tensor laid out for work along some of its dimensions: {@code count} rows of {@code length} values. The reduced dimensions
 * vary fastest inside a row, in their order.
 */
public final class Rows {
    public final int count;
    public final int length;
    /** Row values, {@code count * length}; null for integer access. */
    public final double[] values;
    /** Integer row values; null for floating access. */
    public final long[] integers;
    private final int[] kept;
    private final int[] sizes;
    private final boolean[] reduced;

    private Rows(Tensor t, int[] dims, boolean asLongs) {
        sizes = t.sizes();
        reduced = mask(dims, t.rank());
        int[] order = new int[t.rank()];
        int at = 0;
        for (int d = 0; d < t.rank(); d++) {
            if (!reduced[d]) {
                order[at++] = d;
            }
        }
        kept = Arrays.copyOf(order, at);
        for (int d = 0; d < t.rank(); d++) {
            if (reduced[d]) {
                order[at++] = d;
            }
        }
        Tensor rows = t.permute(order);
        int n = 1;
        for (int d : kept) {
            n *= sizes[d];
        }
        int l = 1;
        for (int d = 0; d < sizes.length; d++) {
            l *= reduced[d] ? sizes[d] : 1;
        }
        count = n;
        length = l;
        values = asLongs ? null : Elements.doubles(rows);
        integers = asLongs ? Elements.longs(rows) : null;
    }

    /** Rows of doubles; no dims means all. */
    public static Rows of(Tensor t, int... dims) {
        return new Rows(t, dims, false);
    }

    /** Rows of longs; no dims means all. */
    public static Rows ofLongs(Tensor t, int... dims) {
        return new Rows(t, dims, true);
    }

    private static boolean[] mask(int[] dims, int rank) {
        boolean[] mask = new boolean[rank];
        for (int dim : dims) {
            int d = Shape.wrap(dim, rank);
            if (rank > 0) {
                if (mask[d]) {
                    throw new IllegalArgumentException("dim " + d + " appears multiple times in the list of dims");
                }
                mask[d] = true;
            }
        }
        if (dims.length == 0) {
            Arrays.fill(mask, true);
        }
        return mask;
    }

    /** Sizes of a result with one value a row. */
    public int[] resultSizes(boolean keepDims) {
        int[] out = new int[keepDims ? sizes.length : kept.length];
        int at = 0;
        for (int d = 0; d < sizes.length; d++) {
            if (!reduced[d]) {
                out[at++] = sizes[d];
            } else if (keepDims) {
                out[at++] = 1;
            }
        }
        return out;
    }

    /** A tensor with {@code newLength} values a row along the one reduced dimension, put back in its place. */
    public Tensor restore(Tensor rows, int newLength) {
        int[] permuted = new int[sizes.length];
        int[] back = new int[sizes.length];
        int at = 0;
        for (int d : kept) {
            permuted[at] = sizes[d];
            back[d] = at++;
        }
        for (int d = 0; d < sizes.length; d++) {
            if (reduced[d]) {
                permuted[at] = newLength;
                back[d] = at++;
            }
        }
        return Geometry.reshape(rows, permuted).permute(back).contiguous(MemoryFormat.CONTIGUOUS);
    }

    /** A row-major tensor of one value a row. */
    public Tensor result(double[] out, DType type, boolean keepDims) {
        return Elements.ofDoubles(type, out, resultSizes(keepDims));
    }

    /** A row-major tensor of one integer a row. */
    public Tensor result(long[] out, DType type, boolean keepDims) {
        return Elements.ofLongs(type, out, resultSizes(keepDims));
    }
}
