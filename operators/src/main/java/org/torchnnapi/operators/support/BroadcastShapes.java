package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.Tensor;

/** Broadcasting, and loops over several tensors at once. */
public final class BroadcastShapes {
    private BroadcastShapes() {}

    /**
     * One run over the innermost dimension: {@code at} and {@code step} hold a position and an increment per tensor.
     */
    @FunctionalInterface
    public interface Run {
        void run(int count, int[] at, int[] step);
    }

    /**
     * The common shape.
     *
     * @throws IllegalArgumentException if two sizes differ and neither is 1
     */
    public static int[] shape(int[]... shapes) {
        int rank = 0;
        for (int[] s : shapes) {
            rank = Math.max(rank, s.length);
        }
        int[] out = new int[rank];
        Arrays.fill(out, 1);
        for (int[] s : shapes) {
            for (int i = 0; i < s.length; i++) {
                int d = rank - s.length + i;
                if (s[i] != 1) {
                    if (out[d] != 1 && out[d] != s[i]) {
                        throw new IllegalArgumentException("The size of tensor a (" + out[d]
                                + ") must match the size of tensor b (" + s[i] + ") at non-singleton dimension " + d);
                    }
                    out[d] = s[i];
                }
            }
        }
        return out;
    }

    /** A view of {@code sizes} in which broadcast dimensions have stride 0. */
    public static Tensor expand(Tensor t, int... sizes) {
        int lead = sizes.length - t.rank();
        if (lead < 0) {
            throw new IllegalArgumentException(
                    "expand: rank " + t.rank() + " to " + Arrays.toString(sizes) + " (expected: no fewer dimensions)");
        }
        int[] strides = new int[sizes.length];
        for (int d = lead; d < sizes.length; d++) {
            int own = t.sizes()[d - lead];
            if (own == sizes[d]) {
                strides[d] = t.strides()[d - lead];
            } else if (own != 1) {
                throw new IllegalArgumentException("The expanded size of the tensor (" + sizes[d]
                        + ") must match the existing size ("
                        + own + ") at non-singleton dimension " + d + ".  Target sizes: " + Arrays.toString(sizes)
                        + ".  Tensor sizes: " + Arrays.toString(t.sizes()));
            }
        }
        return t.asStrided(sizes, strides, t.offset());
    }

    /**
     * Runs over equally shaped tensors in the memory order of the first, with as long runs as the strides allow.
     * Tensors of the wrong shape must be {@link #expand expanded} before.
     */
    public static void loop(Run run, Tensor... tensors) {
        Tensor first = tensors[0];
        if (first.numel() == 0) {
            return;
        }
        int k = tensors.length;
        int[] order = MemoryOrder.order(first);
        int[] sizes = new int[order.length + 1];
        int[][] strides = new int[order.length + 1][k];
        int depth = 0;
        for (int d : order) {
            int size = first.sizes()[d];
            if (size == 1) {
                continue;
            }
            boolean merges = depth > 0;
            for (int t = 0; t < k && merges; t++) {
                merges = strides[depth - 1][t] == tensors[t].strides()[d] * size;
            }
            int slot = merges ? depth - 1 : depth++;
            sizes[slot] = merges ? sizes[slot] * size : size;
            for (int t = 0; t < k; t++) {
                strides[slot][t] = tensors[t].strides()[d];
            }
        }
        if (depth == 0) {
            sizes[0] = 1;
            depth = 1;
        }
        int[] at = new int[k];
        for (int t = 0; t < k; t++) {
            at[t] = tensors[t].offset();
        }
        int inner = depth - 1;
        int[] index = new int[depth];
        while (true) {
            run.run(sizes[inner], at, strides[inner]);
            int d = inner - 1;
            while (d >= 0) {
                index[d]++;
                for (int t = 0; t < k; t++) {
                    at[t] += strides[d][t];
                }
                if (index[d] < sizes[d]) {
                    break;
                }
                for (int t = 0; t < k; t++) {
                    at[t] -= strides[d][t] * sizes[d];
                }
                index[d] = 0;
                d--;
            }
            if (d < 0) {
                return;
            }
        }
    }
}
