package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** Views and reshapes that several families use. */
public final class TensorViews {
    private TensorViews() {}

    /**
     * A tensor's bytes as elements of another type; with wider or narrower ones the last dimension is as much shorter
     * or longer.
     *
     * @throws IllegalArgumentException if elements would not begin and end where others do, or either type is quantized
     */
    public static Tensor viewedAs(Tensor t, DType type) {
        int from = t.dtype().bytes();
        int to = type.bytes();
        if (t.dtype() == type) {
            return t;
        }
        String what = " to view " + Promotion.scalarType(t.dtype()) + " as " + Promotion.scalarType(type)
                + " (different element sizes), but got ";
        if (t.dtype().isQuantized() || type.isQuantized()) {
            throw new IllegalArgumentException(
                    "view: " + t + " as " + type.torchName() + " (expected: types that are not quantized)");
        }
        int[] sizes = t.sizes().clone();
        int[] strides = t.strides().clone();
        int last = sizes.length - 1;
        int offset = t.offset();
        if (from != to) {
            if (last < 0) {
                throw new IllegalArgumentException("self.dim() cannot be 0" + what.substring(0, what.indexOf(", but")));
            }
            if (strides[last] != 1) {
                throw new IllegalArgumentException("self.stride(-1) must be 1" + what + strides[last]);
            }
            int ratio = Math.max(from, to) / Math.min(from, to);
            if (to > from) {
                requireMultiple("size(-1)", sizes[last], ratio, what);
                requireMultiple("storage_offset()", offset, ratio, what);
            }
            for (int d = 0; d < last; d++) {
                if (to > from) {
                    requireMultiple("stride(" + d + ")", strides[d], ratio, what);
                }
                strides[d] = to > from ? strides[d] / ratio : Math.multiplyExact(strides[d], ratio);
            }
            sizes[last] = to > from ? sizes[last] / ratio : Math.multiplyExact(sizes[last], ratio);
            offset = to > from ? offset / ratio : Math.multiplyExact(offset, ratio);
        }
        Storage whole = t.storage();
        if (to > from && (long) whole.length() * from % to != 0) {
            // The end of the memory is no whole element, and no element of the tensor.
            return viewedAs(t.copy(MemoryFormat.CONTIGUOUS), type);
        }
        return new Tensor(whole.viewedAs(type), offset, sizes, strides, null);
    }

    private static void requireMultiple(String name, int value, int of, String what) {
        if (value % of != 0) {
            throw new IllegalArgumentException("self." + name + " must be divisible by " + of + what + value);
        }
    }

    /** Replaces one -1 by what makes the product {@code count}. */
    public static long[] inferred(long[] sizes, long count) {
        long known = 1;
        int open = -1;
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] == -1) {
                if (open >= 0) {
                    throw new IllegalArgumentException("only one dimension can be inferred");
                }
                open = i;
            } else if (sizes[i] < 0) {
                throw new IllegalArgumentException("invalid shape dimension " + sizes[i]);
            } else {
                known = saturated(known, sizes[i]);
            }
        }
        boolean fits = open < 0 ? known == count : known > 0 && count % known == 0;
        if (!fits) {
            throw new IllegalArgumentException(
                    open >= 0 && known == 0
                            ? "cannot reshape tensor of 0 elements into shape " + Arrays.toString(sizes)
                                    + " because the unspecified dimension size -1 can be any value and is ambiguous"
                            : "shape '" + Arrays.toString(sizes) + "' is invalid for input of size " + count);
        }
        long[] out = sizes.clone();
        if (open >= 0) {
            out[open] = count / known;
        }
        return out;
    }

    private static long saturated(long a, long b) {
        long high = Math.multiplyHigh(a, b);
        return high != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
    }

    /** A view of other sizes, or null if the strides do not allow one. */
    private static Tensor viewOrNull(Tensor t, int[] sizes) {
        if (t.numel() == 0) {
            return t.asStrided(sizes, Shape.contiguousStrides(sizes), t.offset());
        }
        int[] strides = new int[sizes.length];
        int at = sizes.length - 1;
        long chunk = 1;
        long view = 1;
        int base = t.rank() == 0 ? 1 : t.strides()[t.rank() - 1];
        for (int d = t.rank() - 1; d >= 0; d--) {
            chunk *= t.sizes()[d];
            boolean ends = d == 0 || t.sizes()[d - 1] != 1 && t.strides()[d - 1] != chunk * base;
            if (ends) {
                while (at >= 0 && (view < chunk || sizes[at] == 1)) {
                    strides[at] = (int) (view * base);
                    view *= sizes[at];
                    at--;
                }
                if (view != chunk) {
                    return null;
                }
                if (d > 0) {
                    base = t.strides()[d - 1];
                    chunk = 1;
                    view = 1;
                }
            }
        }
        if (t.rank() == 0) {
            Arrays.fill(strides, 1);
            at = -1;
        }
        return at >= 0 ? null : t.asStrided(sizes, strides, t.offset());
    }

    /** @throws IllegalArgumentException if no view of that shape exists */
    public static Tensor view(Tensor t, long... sizes) {
        Tensor view = viewOrNull(t, Shape.toInts(inferred(sizes, t.numel())));
        if (view == null) {
            throw new IllegalArgumentException(
                    "view size is not compatible with input tensor's size and stride (at least one dimension "
                            + "spans across two contiguous subspaces). Use .reshape(...) instead.");
        }
        return view;
    }

    /** A view if possible, otherwise a row-major copy. */
    public static Tensor reshape(Tensor t, long... sizes) {
        int[] wanted = Shape.toInts(inferred(sizes, t.numel()));
        Tensor view = viewOrNull(t, wanted);
        return view != null ? view : viewOrNull(t.contiguous(), wanted);
    }

    /** {@link #reshape} with 32-bit sizes. */
    public static Tensor reshape(Tensor t, int... sizes) {
        return reshape(t, Shape.toLongs(sizes));
    }

    /** Merges dimensions {@code first..last}. */
    public static Tensor flatten(Tensor t, long first, long last) {
        int from = Shape.wrap(first, t.rank());
        int to = Shape.wrap(last, t.rank());
        if (from > to) {
            throw new IllegalArgumentException("flatten() has invalid args: start_dim cannot come after end_dim");
        }
        if (t.rank() == 0) {
            return reshape(t, 1L);
        }
        if (from == to) {
            return t;
        }
        long[] sizes = new long[t.rank() - (to - from)];
        for (int i = 0; i < from; i++) {
            sizes[i] = t.sizes()[i];
        }
        sizes[from] = 1;
        for (int d = from; d <= to; d++) {
            sizes[from] *= t.sizes()[d];
        }
        for (int d = to + 1; d < t.rank(); d++) {
            sizes[d - (to - from)] = t.sizes()[d];
        }
        return reshape(t, sizes);
    }

    public static Tensor select(Tensor t, long dim, long index) {
        if (t.rank() == 0) {
            throw new IndexOutOfBoundsException("select() cannot be applied to a 0-dim tensor.");
        }
        int d = Shape.wrap(dim, t.rank());
        int size = t.sizes()[d];
        if (index < -size || index >= size) {
            throw new IndexOutOfBoundsException("select(): index " + index + " out of range for tensor of size "
                    + Arrays.toString(t.sizes()) + " at dimension " + d);
        }
        int i = (int) (index < 0 ? index + size : index);
        Tensor one = t.asStrided(without(t.sizes(), d), without(t.strides(), d), t.offset() + i * t.strides()[d]);
        if (!(t.quantization() instanceof Quantization.PerChannel q) || q.floatQParams()) {
            return one;
        }
        return one.withQuantization(
                d == q.axis()
                        ? new Quantization.PerTensor(q.scales()[i], (int) q.zeroPoints()[i])
                        : d < q.axis()
                                ? new Quantization.PerChannel(q.scales(), q.zeroPoints(), q.axis() - 1, false)
                                : q);
    }

    private static int[] without(int[] values, int at) {
        int[] out = new int[values.length - 1];
        System.arraycopy(values, 0, out, 0, at);
        System.arraycopy(values, at + 1, out, at, out.length - at);
        return out;
    }

    /** Python's {@code t[start:end:step]} along a dimension; bounds are clipped, null means open. */
    public static Tensor slice(Tensor t, long dim, Long start, Long end, long step) {
        if (t.rank() == 0) {
            throw new IllegalArgumentException("slice() cannot be applied to a 0-dim tensor.");
        }
        if (step <= 0) {
            throw new IllegalArgumentException("slice step must be positive");
        }
        int d = Shape.wrap(dim, t.rank());
        long size = t.sizes()[d];
        long from = clip(start == null ? 0 : start, size);
        long to = Math.max(clip(end == null ? size : end, size), from);
        int[] sizes = t.sizes().clone();
        int[] strides = t.strides().clone();
        sizes[d] = (int) ((to - from + step - 1) / step);
        if (to - from <= step) {
            sizes[d] = to > from ? 1 : 0;
        }
        strides[d] = (int) Math.min(strides[d] * step, Integer.MAX_VALUE);
        int offset = sizes[d] == 0 ? t.offset() : t.offset() + (int) from * t.strides()[d];
        Tensor part = t.asStrided(sizes, strides, offset);
        if (!(t.quantization() instanceof Quantization.PerChannel q) || d != q.axis()) {
            return part;
        }
        double[] scales = new double[sizes[d]];
        double[] zeroPoints = new double[sizes[d]];
        for (int i = 0; i < sizes[d]; i++) {
            scales[i] = q.scales()[(int) (from + i * step)];
            zeroPoints[i] = q.zeroPoints()[(int) (from + i * step)];
        }
        return part.withQuantization(new Quantization.PerChannel(scales, zeroPoints, d, q.floatQParams()));
    }

    private static long clip(long index, long size) {
        long i = index < 0 ? index + size : index;
        return Math.max(0, Math.min(i, size));
    }

    public static Tensor narrow(Tensor t, long dim, long start, long length) {
        int d = Shape.wrap(dim, t.rank());
        long size = t.rank() == 0 ? 0 : t.sizes()[d];
        long from = start < 0 ? start + size : start;
        if (length < 0 || from < 0 || from > size || length > size - from) {
            throw new IllegalArgumentException(
                    "start (" + start + ") + length (" + length + ") exceeds dimension size (" + size + ").");
        }
        return slice(t, d, from, from + length, 1);
    }

    public static Tensor transpose(Tensor t, long first, long second) {
        int a = Shape.wrap(first, t.rank());
        int b = Shape.wrap(second, t.rank());
        int[] sizes = t.sizes().clone();
        int[] strides = t.strides().clone();
        if (t.rank() > 0) {
            sizes[a] = t.sizes()[b];
            sizes[b] = t.sizes()[a];
            strides[a] = t.strides()[b];
            strides[b] = t.strides()[a];
        }
        return t.asStrided(sizes, strides, t.offset());
    }

    public static Tensor unsqueeze(Tensor t, long dim) {
        int d = Shape.wrap(dim, t.rank() + 1);
        int[] sizes = new int[t.rank() + 1];
        int[] strides = new int[t.rank() + 1];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = i == d ? 1 : t.sizes()[i < d ? i : i - 1];
            strides[i] = i == d
                    ? d < t.rank() ? Math.max(t.sizes()[d], 1) * t.strides()[d] : 1
                    : t.strides()[i < d ? i : i - 1];
        }
        return t.asStrided(sizes, strides, t.offset());
    }

    /** Without its dimensions of size 1. */
    public static Tensor squeeze(Tensor t) {
        Tensor out = t.asStrided(t.sizes(), t.strides(), t.offset());
        for (int d = t.rank() - 1; d >= 0; d--) {
            out = squeeze(out, d);
        }
        return out;
    }

    public static Tensor squeeze(Tensor t, long dim) {
        int d = Shape.wrap(dim, t.rank());
        return t.rank() > 0 && t.sizes()[d] == 1 ? select(t, d, 0) : t.asStrided(t.sizes(), t.strides(), t.offset());
    }

    /** Without those of the given dimensions that have size 1. */
    public static Tensor squeeze(Tensor t, long[] dims) {
        boolean[] given = new boolean[t.rank()];
        for (long dim : dims) {
            int d = Shape.wrap(dim, Math.max(t.rank(), 1));
            if (d < given.length && given[d]) {
                throw new IllegalArgumentException("dim " + dim + " appears multiple times in the list of dims");
            }
            if (d < given.length) {
                given[d] = true;
            }
        }
        Tensor out = t.asStrided(t.sizes(), t.strides(), t.offset());
        for (int d = given.length - 1; d >= 0; d--) {
            out = given[d] ? squeeze(out, d) : out;
        }
        return out;
    }

    /** For in-place views: changes the tensor object itself. */
    public static Tensor become(Tensor t, Tensor view) {
        t.become(view);
        return t;
    }
}
