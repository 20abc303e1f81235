package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.WindowAxis;

/**
 * The windows of a pooling operator over the last dimensions of a row-major tensor: for every output element, the
 * stretch of input positions it sees in each dimension.
 */
public final class PoolingWindows {
    /** Called for every output element. */
    @FunctionalInterface
    public interface OutputVisitor {
        /**
         * @param plane where the input plane begins in the row-major tensor
         * @param at the output position inside its plane
         * @param result the output's row-major index
         */
        void visit(int plane, int at, int result);
    }

    /** Called for every input element inside the current window. */
    @FunctionalInterface
    public interface InputVisitor {
        void visit(int inPlane);
    }

    private final int[] resultSizes;
    private final int[] in;
    private final int[] out;
    private final int[] step;
    private final int[][] starts;
    private final int[][] ends;
    private final int[][] paddedLengths;
    private final int planes;
    private final int[] current = new int[3];

    private PoolingWindows(Tensor t, int[] outSizes, int[] step) {
        int n = outSizes.length;
        if (t.rank() != n + 1 && t.rank() != n + 2) {
            throw new IllegalArgumentException("Expected " + (n + 1) + "D or " + (n + 2)
                    + "D (batch mode) tensor for input, but got: " + Arrays.toString(t.sizes()));
        }
        in = new int[] {1, 1, 1};
        out = new int[] {1, 1, 1};
        this.step = new int[] {1, 1, 1};
        int lead = t.rank() - n;
        System.arraycopy(t.sizes(), lead, in, 3 - n, n);
        System.arraycopy(outSizes, 0, out, 3 - n, n);
        System.arraycopy(step, 0, this.step, 3 - n, n);
        resultSizes = t.sizes().clone();
        System.arraycopy(outSizes, 0, resultSizes, lead, n);
        Tensors.count(resultSizes);
        planes = Tensors.count(Arrays.copyOf(t.sizes(), lead));
        starts = new int[3][];
        ends = new int[3][];
        paddedLengths = new int[3][];
        for (int d = 0; d < 3; d++) {
            starts[d] = new int[out[d]];
            ends[d] = new int[out[d]];
            paddedLengths[d] = new int[out[d]];
            Arrays.fill(ends[d], 1);
            Arrays.fill(paddedLengths[d], 1);
        }
    }

    /** How many windows a kernel that slides has along a dimension; less than 1 where there is room for none. */
    public static long count(long size, int kernel, int stride, int padding, int dilation, boolean ceil) {
        long reach = dilation * (kernel - 1L) + 1;
        long room = size + 2L * padding - reach + (ceil ? stride - 1 : 0);
        long count = Math.floorDiv(room, stride) + 1;
        // A window may begin in the padding before, not in that after.
        return ceil && (count - 1) * stride >= size + padding ? count - 1 : count;
    }

    /**
     * Windows of a kernel that slides.
     *
     * @throws IllegalArgumentException if the parameters leave no output
     */
    public static PoolingWindows sliding(
            Tensor t, int[] kernel, int[] stride, int[] padding, int[] dilation, boolean ceil) {
        int n = kernel.length;
        int[] out = new int[n];
        int[] steps = new int[n];
        WindowAxis[] axes = new WindowAxis[n];
        for (int i = 0; i < n; i++) {
            if (kernel[i] < 1 || stride[i] < 1 || dilation[i] < 1) {
                throw new IllegalArgumentException("pooling: kernel " + kernel[i] + ", stride " + stride[i]
                        + ", dilation " + dilation[i] + " (expected: each > 0)");
            }
            if (padding[i] < 0 || padding[i] > kernel[i] / 2) {
                throw new IllegalArgumentException("pad should be at most half of kernel size, but got pad="
                        + padding[i] + " and kernel_size=" + kernel[i]);
            }
            int d = t.rank() - n + i;
            long size = d < 0 ? 0 : t.sizes()[d];
            long count = count(size, kernel[i], stride[i], padding[i], dilation[i], ceil);
            if (count < 1 || count > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("Given input size: " + Arrays.toString(t.sizes())
                        + ". Calculated output size: " + count + ". Output size is too small");
            }
            axes[i] =
                    new WindowAxis((int) size, kernel[i], stride[i], dilation[i], padding[i], padding[i], (int) count);
            out[i] = (int) count;
            steps[i] = axes[i].dilation();
        }
        PoolingWindows w = new PoolingWindows(t, out, steps);
        for (int i = 0; i < n; i++) {
            int d = 3 - n + i;
            for (int o = 0; o < out[i]; o++) {
                long start = axes[i].start(o);
                long end = Math.min(start + axes[i].span(), axes[i].padded() - padding[i]);
                w.paddedLengths[d][o] = (int) (end - start);
                long behind = start < 0 ? (steps[i] - 1 - start) / steps[i] * steps[i] : 0;
                w.starts[d][o] = (int) (start + behind);
                w.ends[d][o] = (int) Math.min(end, w.in[d]);
            }
        }
        return w;
    }

    /** Windows that divide the input into a given number of parts; -1 or an absent size keeps the input's. */
    public static PoolingWindows adaptive(Tensor t, int[] sizes) {
        int[] ones = sizes.clone();
        Arrays.fill(ones, 1);
        PoolingWindows w = new PoolingWindows(t, sizes, ones);
        for (int i = 0; i < sizes.length; i++) {
            int d = 3 - sizes.length + i;
            for (int o = 0; o < sizes[i]; o++) {
                w.starts[d][o] = WindowAxis.partStart(w.in[d], sizes[i], o);
                w.ends[d][o] = WindowAxis.partEnd(w.in[d], sizes[i], o);
                w.paddedLengths[d][o] = w.ends[d][o] - w.starts[d][o];
            }
        }
        return w;
    }

    public int[] resultSizes() {
        return resultSizes;
    }

    public int resultCount() {
        return planes * out[0] * out[1] * out[2];
    }

    /** Visits all windows; inside, {@link #forEachInside} and {@link #paddedCount} speak of the current one. */
    public void forEach(OutputVisitor visitor) {
        int plane = in[0] * in[1] * in[2];
        int result = 0;
        for (int p = 0; p < planes; p++) {
            int at = 0;
            for (current[0] = 0; current[0] < out[0]; current[0]++) {
                for (current[1] = 0; current[1] < out[1]; current[1]++) {
                    for (current[2] = 0; current[2] < out[2]; current[2]++) {
                        visitor.visit(p * plane, at++, result++);
                    }
                }
            }
        }
    }

    /** Visits the input elements of the current window, padding left out. */
    public void forEachInside(InputVisitor visitor) {
        int endW = ends[2][current[2]];
        // A step past the end may be past 2^31 as well.
        for (long d = starts[0][current[0]]; d < ends[0][current[0]]; d += step[0]) {
            for (long h = starts[1][current[1]]; h < ends[1][current[1]]; h += step[1]) {
                int row = (int) ((d * in[1] + h) * in[2]);
                for (long w = starts[2][current[2]]; w < endW; w += step[2]) {
                    visitor.visit(row + (int) w);
                }
            }
        }
    }

    /** One over the elements of the current window inside, divided by its extents one after the other in float32. */
    public float shareInside() {
        float share = 1;
        for (int d = 0; d < 3; d++) {
            share /= ends[d][current[d]] - starts[d][current[d]];
        }
        return share;
    }

    /** Elements of the current window with the padding it overlaps. */
    public long paddedCount() {
        return (long) paddedLengths[0][current[0]] * paddedLengths[1][current[1]] * paddedLengths[2][current[2]];
    }
}
