package org.torchnnapi.tensor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Element copy between equally shaped views of one element type. */
final class StridedCopy {
    /** Elements below which starting a run costs more than its copies. */
    private static final int SHORT = 16;

    private StridedCopy() {
    }

    static void copy(Tensor from, Tensor to) {
        long count = from.numel();
        if (count == 0) {
            return;
        }
        // Complex numbers take two array entries, so their geometry doubles.
        int unit = from.dtype().isComplex() ? 2 : 1;
        Object source = from.storage().array();
        Object target = to.storage().array();
        if (from.isContiguous() && to.isContiguous() || java.util.Arrays.equals(from.strides(), to.strides()) && dense(to)) {
            System.arraycopy(source, from.offset() * unit, target, to.offset() * unit, (int) count * unit);
            return;
        }
        int[] sizes = from.sizes();
        int rank = sizes.length;
        int inner = inner(from, to);
        int[] index = new int[rank];
        int in = from.offset();
        int out = to.offset();
        while (true) {
            run(source, in, from.strides()[inner], target, out, to.strides()[inner], sizes[inner], unit);
            int d = rank - 1;
            while (d >= 0) {
                if (d != inner) {
                    in += from.strides()[d];
                    out += to.strides()[d];
                    if (++index[d] < sizes[d]) {
                        break;
                    }
                    in -= from.strides()[d] * sizes[d];
                    out -= to.strides()[d] * sizes[d];
                    index[d] = 0;
                }
                d--;
            }
            if (d < 0) {
                return;
            }
        }
    }

    /** Some of the elements in row-major order, little-endian; those of a file's bytes leave no array behind. */
    static ByteBuffer bytes(Tensor view, int first, int count) {
        int size = view.dtype().bytes();
        boolean inFile = view.storage().heapBytes() == 0 && (size == Integer.BYTES || size == 1);
        ByteBuffer from = inFile ? view.storage().view() : null;
        ByteBuffer bytes = inFile ? ByteBuffer.allocate(Math.multiplyExact(count, size)).order(ByteOrder.LITTLE_ENDIAN) : null;
        Storage copy = inFile ? null : Storage.allocate(view.dtype(), count);
        int unit = view.dtype().isComplex() ? 2 : 1;
        int[] sizes = view.sizes();
        int[] strides = view.strides();
        int last = sizes.length - 1;
        int[] index = new int[sizes.length];
        int in = view.offset();
        for (int d = last, rest = first; d >= 0; d--) {
            index[d] = rest % sizes[d];
            in += index[d] * strides[d];
            rest /= sizes[d];
        }
        for (int at = 0; at < count; ) {
            int row = last < 0 ? 1 : Math.min(count - at, sizes[last] - index[last]);
            int step = last < 0 ? 1 : strides[last];
            if (copy != null) {
                run(view.storage().array(), in, step, copy.array(), at, 1, row, unit);
            } else {
                row(from, in, step, bytes, at, row, size);
            }
            at += row;
            if (last >= 0) {
                in += row * step;
                index[last] += row;
            }
            for (int d = last; d > 0 && index[d] == sizes[d]; d--) {
                in += strides[d - 1] - strides[d] * sizes[d];
                index[d] = 0;
                index[d - 1]++;
            }
        }
        return copy == null ? bytes : copy.toBytes();
    }

    private static void row(ByteBuffer from, int in, int step, ByteBuffer to, int at, int count, int size) {
        for (int i = 0; i < count; i++) {
            if (size == 1) {
                to.put(at + i, from.get(in + i * step));
            } else {
                to.putInt(Integer.BYTES * (at + i), from.getInt(Integer.BYTES * (in + i * step)));
            }
        }
    }

    /** The dimension to run along: where the target's elements are adjacent, or the longest if those runs were short. */
    private static int inner(Tensor from, Tensor to) {
        int[] sizes = from.sizes();
        int adjacent = sizes.length - 1;
        int longest = sizes.length - 1;
        for (int d = 0; d < sizes.length; d++) {
            adjacent = to.strides()[d] == 1 && sizes[d] > 1 ? d : adjacent;
            longest = sizes[d] > sizes[longest] ? d : longest;
        }
        return sizes[adjacent] < SHORT ? longest : adjacent;
    }

    /** Whether the view covers consecutive elements in some order of its dimensions. */
    private static boolean dense(Tensor t) {
        long last = 0;
        for (int d = 0; d < t.rank(); d++) {
            if (t.strides()[d] == 0 && t.sizes()[d] > 1) {
                return false;
            }
            last += (long) t.strides()[d] * (t.sizes()[d] - 1);
        }
        return last + 1 == t.numel();
    }

    private static void run(Object source, int in, int inStep, Object target, int out, int outStep, int count, int unit) {
        if (inStep == 1 && outStep == 1) {
            System.arraycopy(source, in * unit, target, out * unit, count * unit);
        } else if (unit == 2) {
            for (int i = 0; i < count; i++) {
                System.arraycopy(source, 2 * (in + i * inStep), target, 2 * (out + i * outStep), 2);
            }
        } else if (source instanceof byte[] a) {
            byte[] b = (byte[]) target;
            for (int i = 0; i < count; i++) {
                b[out + i * outStep] = a[in + i * inStep];
            }
        } else if (source instanceof short[] a) {
            short[] b = (short[]) target;
            for (int i = 0; i < count; i++) {
                b[out + i * outStep] = a[in + i * inStep];
            }
        } else if (source instanceof int[] a) {
            int[] b = (int[]) target;
            for (int i = 0; i < count; i++) {
                b[out + i * outStep] = a[in + i * inStep];
            }
        } else if (source instanceof long[] a) {
            long[] b = (long[]) target;
            for (int i = 0; i < count; i++) {
                b[out + i * outStep] = a[in + i * inStep];
            }
        } else if (source instanceof float[] a) {
            float[] b = (float[]) target;
            for (int i = 0; i < count; i++) {
                b[out + i * outStep] = a[in + i * inStep];
            }
        } else {
            double[] a = (double[]) source;
            double[] b = (double[]) target;
            for (int i = 0; i < count; i++) {
                b[out + i * outStep] = a[in + i * inStep];
            }
        }
    }
}
