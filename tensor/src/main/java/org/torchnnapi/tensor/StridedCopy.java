package org.torchnnapi.tensor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.torchnnapi.tensor.platform.Interruption;

/** Element copy between equally shaped views of one element type. */
final class StridedCopy {
    /** Elements below which starting a run costs more than its copies. */
    private static final int SHORT = 16;
    /** Elements between looks at the thread's flag. */
    private static final int PATIENCE = 1 << 20;

    private StridedCopy() {}

    /**
     * @throws java.util.concurrent.CancellationException if the target has elements more than once, so that no memory
     *     bounds them, and the thread is interrupted
     */
    static void copy(Tensor from, Tensor to) {
        long count = from.numel();
        if (count == 0) {
            return;
        }
        // Complex numbers take two array entries, so their geometry doubles.
        int unit = from.dtype().isComplex() ? 2 : 1;
        Object source = from.storage().array();
        Object target = to.storage().array();
        if (from.isContiguous() && to.isContiguous() || Arrays.equals(from.strides(), to.strides()) && dense(to)) {
            System.arraycopy(source, from.offset() * unit, target, to.offset() * unit, (int) count * unit);
            return;
        }
        int[] sizes = from.sizes();
        int rank = sizes.length;
        int inner = inner(from, to);
        int[] index = new int[rank];
        int in = from.offset();
        int out = to.offset();
        int inStep = from.strides()[inner];
        int outStep = to.strides()[inner];
        boolean repeats = count > to.storage().length();
        int patience = PATIENCE;
        while (true) {
            for (int done = 0; done < sizes[inner]; ) {
                int some = repeats ? Math.min(sizes[inner] - done, patience) : sizes[inner];
                run(source, in + done * inStep, inStep, target, out + done * outStep, outStep, some, unit);
                done += some;
                patience -= some;
                if (repeats && patience == 0) {
                    Interruption.check();
                    patience = PATIENCE;
                }
            }
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

    /** The elements in row-major order, little-endian; those of a file's bytes leave no array behind. */
    static ByteBuffer bytes(Tensor view) {
        int size = view.dtype().bytes();
        if (view.storage().heapBytes() > 0 || size != Integer.BYTES && size != 1 || view.rank() == 0) {
            return view.copy(MemoryFormat.CONTIGUOUS).storage().toBytes();
        }
        ByteBuffer from = view.storage().view();
        ByteBuffer out =
                ByteBuffer.allocate(Math.toIntExact(view.numel() * size)).order(ByteOrder.LITTLE_ENDIAN);
        int[] sizes = view.sizes();
        int[] strides = view.strides();
        int last = sizes.length - 1;
        int[] index = new int[sizes.length];
        int in = view.offset();
        int count = Math.toIntExact(view.numel());
        for (int at = 0; at < count; at += sizes[last]) {
            for (int i = 0; i < sizes[last]; i++) {
                if (size == 1) {
                    out.put(at + i, from.get(in + i * strides[last]));
                } else {
                    out.putInt(Integer.BYTES * (at + i), from.getInt(Integer.BYTES * (in + i * strides[last])));
                }
            }
            for (int d = last - 1; d >= 0; d--) {
                in += strides[d];
                if (++index[d] < sizes[d]) {
                    break;
                }
                in -= strides[d] * sizes[d];
                index[d] = 0;
            }
        }
        return out;
    }

    /**
     * The dimension to run along: where the target's elements are adjacent, or the longest if those runs were short.
     */
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

    private static void run(
            Object source, int in, int inStep, Object target, int out, int outStep, int count, int unit) {
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
