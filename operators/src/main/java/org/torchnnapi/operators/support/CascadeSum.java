package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Interruption;

/**
 * Sums of float32 and float64 with the roundings of PyTorch on one thread: which elements are added to which hangs on
 * the order in memory. Reduced dimensions are walked first, from the smallest stride on, then those kept, the last
 * first; the first two of what remains after merging are summed at once. Elements that lie together go to four vectors
 * of partial sums, columns that lie together each have a sum of their own, other rows have four partial sums. A partial
 * sum is a cascade of four levels: every 2^p additions its value goes up a level, where {@code p = max(4,
 * log2(additions) / 4)}. (aten/src/ATen/native/cpu/SumKernel.cpp, vectors of 32 bytes.)
 */
public final class CascadeSum {
    private static final int LEVELS = 4;
    /** Partial sums of a row, or vectors of columns summed side by side. */
    private static final int WAYS = 4;
    /**
     * Rows between looks at the thread's flag: elements that repeat are as many as sizes say, whatever few of them
     * there are.
     */
    private static final int PATIENCE = 1 << 12;
    /** Elements of a row between such looks; whole runs. */
    private static final int SPAN = 1 << 20;

    /** One of the two is null. */
    private final float[] floats;

    private final double[] doubles;
    private final int lanes;
    private final double[] out;

    /** A dimension with its strides in the values and in the result, the latter 0 where it is reduced. */
    private record Dimension(int size, long in, int out) {}

    private CascadeSum(Tensor t, double[] out) {
        floats = t.dtype() == DType.FLOAT32 ? t.storage().floatArray() : null;
        doubles = floats == null ? t.storage().doubleArray() : null;
        lanes = floats == null ? 4 : 8;
        this.out = out;
    }

    /** Whether sums of such elements are cascades. */
    public static boolean takes(DType type) {
        return type == DType.FLOAT32 || type == DType.FLOAT64;
    }

    /**
     * Sums over dimensions.
     *
     * @param t float32 or float64
     * @param reduced which of its dimensions
     * @return the sums, row-major over the other dimensions
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     * @throws org.torchnnapi.tensor.MemoryException if the heap has no room for the sums
     */
    public static double[] sums(Tensor t, boolean[] reduced) {
        int rank = t.rank();
        int kept = 1;
        int[] strides = new int[rank];
        for (int d = rank - 1; d >= 0; d--) {
            strides[d] = reduced[d] ? 0 : kept;
            kept = reduced[d] ? kept : Math.multiplyExact(kept, t.sizes()[d]);
        }
        double[] out = new double[Tensors.count(kept)];
        if (t.numel() > 0) {
            new CascadeSum(t, out).walk(merged(dimensions(t.sizes(), t.strides(), strides, reduced)), t.offset(), 0);
        }
        return out;
    }

    /** Those of more than one element: reduced ones from the smallest stride on, then the others, the last first. */
    private static Dimension[] dimensions(int[] sizes, int[] in, int[] out, boolean[] reduced) {
        int[] order = new int[sizes.length];
        int count = 0;
        for (int pass = 0; pass < 2; pass++) {
            int from = count;
            for (int d = sizes.length - 1; d >= 0; d--) {
                if (sizes[d] == 1 || reduced[d] != (pass == 0)) {
                    continue;
                }
                int at = count++;
                for (; pass == 0 && at > from && in[order[at - 1]] > in[d]; at--) {
                    order[at] = order[at - 1];
                }
                order[at] = d;
            }
        }
        Dimension[] dimensions = new Dimension[count];
        for (int i = 0; i < count; i++) {
            dimensions[i] = new Dimension(sizes[order[i]], in[order[i]], out[order[i]]);
        }
        return dimensions;
    }

    /** Neighbours that one stride walks become one. */
    private static Dimension[] merged(Dimension[] dimensions) {
        Dimension[] merged = new Dimension[Math.max(dimensions.length, 2)];
        int count = 0;
        for (Dimension d : dimensions) {
            Dimension last = count == 0 ? null : merged[count - 1];
            if (last != null && last.size * last.in == d.in && (long) last.size * last.out == d.out) {
                merged[count - 1] = new Dimension(last.size * d.size, last.in, last.out);
            } else {
                merged[count++] = d;
            }
        }
        while (count < 2) {
            merged[count++] = new Dimension(1, 0, 0);
        }
        return Arrays.copyOf(merged, count);
    }

    /** Every block of the first two dimensions, at the places of the others. */
    private void walk(Dimension[] dimensions, long in, int to) {
        int last = dimensions.length - 1;
        Interruption.check();
        if (last == 1) {
            block(dimensions[0], dimensions[1], (int) in, to);
            return;
        }
        Dimension[] inner = Arrays.copyOf(dimensions, last);
        for (int i = 0; i < dimensions[last].size; i++) {
            walk(inner, in + i * dimensions[last].in, to + i * dimensions[last].out);
        }
    }

    private void block(Dimension first, Dimension second, int in, int to) {
        if (first.out != 0) {
            for (int j = 0; j < second.size; j++) {
                checkAt(j);
                for (int i = 0; i < first.size; i++) {
                    add(to + i * first.out + j * second.out, value((int) (in + i * first.in + j * second.in)));
                }
            }
            return;
        }
        int step = (int) first.in;
        boolean together = first.in == 1 && first.size >= lanes;
        boolean columns = !together && second.in == 1 && second.size >= lanes;
        boolean rows = together || !columns && first.in < second.in;
        int whole = rows ? 0 : columns ? second.size / (WAYS * lanes) * WAYS * lanes : second.size / WAYS * WAYS;
        for (int j = 0; j < second.size; j++) {
            checkAt(j);
            int at = (int) (in + j * second.in);
            double sum = together
                    ? vectors(at, first.size)
                    : j < whole ? cascade(at, step, first.size) : row(at, step, first.size);
            add(to + j * second.out, sum);
        }
    }

    private static void checkAt(int row) {
        if (row % PATIENCE == 0) {
            Interruption.check();
        }
    }

    private void add(int to, double value) {
        out[to] = rounded(out[to] + value);
    }

    private double value(int at) {
        return floats != null ? floats[at] : doubles[at];
    }

    /** A sum of two float32 in double, rounded, is their sum in float32. */
    private double rounded(double sum) {
        return floats != null ? (float) sum : sum;
    }

    private double vectors(int at, int count) {
        int whole = count / lanes;
        double sum = 0;
        for (int i = whole * lanes; i < count; i++) {
            sum = rounded(sum + value(at + i));
        }
        for (int lane = 0; lane < lanes; lane++) {
            sum = rounded(sum + row(at + lane, lanes, whole));
        }
        return sum;
    }

    private double row(int at, int step, int count) {
        int each = count / WAYS;
        double sum = cascade(at, WAYS * step, each);
        for (int i = each * WAYS; i < count; i++) {
            sum = rounded(sum + value(at + i * step));
        }
        for (int way = 1; way < WAYS; way++) {
            sum = rounded(sum + cascade(at + way * step, WAYS * step, each));
        }
        return sum;
    }

    /**
     * Adds runs to a cascade, in a loop that calls nothing.
     *
     * @return the first element behind them
     */
    private int add(double[] level, int power, int at, int step, int from, int to) {
        int run = 1 << power;
        int i = from;
        while (i + run <= to) {
            for (int end = i + run; i < end; i++) {
                level[0] = rounded(level[0] + value(at + i * step));
            }
            for (int j = 1; j < LEVELS; j++) {
                level[j] = rounded(level[j] + level[j - 1]);
                level[j - 1] = 0;
                if ((i & (long) (run - 1) << j * power) != 0) {
                    break;
                }
            }
        }
        return i;
    }

    private double cascade(int at, int step, int count) {
        int power = Math.max(4, (count <= 2 ? 1 : 32 - Integer.numberOfLeadingZeros(count - 1)) / LEVELS);
        int run = 1 << power;
        double[] level = new double[LEVELS];
        int i = 0;
        while (i + run <= count) {
            if (i > 0) {
                Interruption.check();
            }
            i = add(level, power, at, step, i, Math.min(count - i, SPAN) + i);
        }
        for (; i < count; i++) {
            level[0] = rounded(level[0] + value(at + i * step));
        }
        double sum = level[0];
        for (int j = 1; j < LEVELS; j++) {
            sum = rounded(sum + level[j]);
        }
        return sum;
    }
}
