package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Order of dimensions in memory. */
public final class MemoryOrder {
    private MemoryOrder() {}

    /** Whether a tensor covers consecutive storage elements, each once, in some order of its dimensions. */
    public static boolean isDense(Tensor t) {
        int[] order = order(t);
        long expected = 1;
        for (int i = order.length - 1; i >= 0; i--) {
            int d = order[i];
            if (t.sizes()[d] == 0) {
                return true;
            }
            if (t.sizes()[d] != 1) {
                if (t.strides()[d] != expected) {
                    return false;
                }
                expected *= t.sizes()[d];
            }
        }
        return true;
    }

    /** The dimensions from slowest to fastest; dimensions of equal stride keep their order. */
    public static int[] order(Tensor t) {
        int rank = t.rank();
        int[] order = new int[rank];
        for (int i = 0; i < rank; i++) {
            order[i] = i;
        }
        // Dimensions of size 1, whose strides say nothing, stay where they are; the others are sorted around them.
        for (int i = 1; i < rank; i++) {
            int at = i;
            for (int j = i - 1; j >= 0 && t.sizes()[order[at]] != 1; j--) {
                if (t.sizes()[order[j]] == 1) {
                    continue;
                }
                if (t.strides()[order[j]] >= t.strides()[order[at]]) {
                    break;
                }
                int held = order[j];
                order[j] = order[at];
                order[at] = held;
                at = j;
            }
        }
        return order;
    }

    /** Dense strides for an order of dimensions. */
    public static int[] strides(int[] order, int[] sizes) {
        int[] strides = new int[sizes.length];
        int running = 1;
        for (int i = order.length - 1; i >= 0; i--) {
            strides[order[i]] = running;
            running *= Math.max(sizes[order[i]], 1);
        }
        return strides;
    }

    /**
     * Strides of an element-wise result: dense, in the order of dimensions in which the operands lie, the earlier ones
     * first. Where they say nothing, as strides of broadcast dimensions do, it is row-major (ATen/TensorIterator.cpp).
     *
     * @param operands those that are null or of another size do not count as spanning the result
     */
    public static int[] resultStrides(int[] sizes, Tensor... operands) {
        if (Shape.numel(sizes) == 0) {
            return Shape.contiguousStrides(sizes);
        }
        Tensor first = null;
        boolean alike = true;
        int[][] all = new int[operands.length][];
        int count = 0;
        for (Tensor t : operands) {
            if (t == null) {
                continue;
            }
            first = first == null ? t : first;
            alike &= Arrays.equals(t.sizes(), sizes) && Arrays.equals(t.strides(), first.strides());
            all[count++] = broadcast(t, sizes);
        }
        if (first != null && alike && (first.isContiguous() || isDense(first))) {
            return first.isContiguous() ? Shape.contiguousStrides(sizes) : first.strides();
        }
        int[] order = new int[sizes.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = order.length - 1 - i;
        }
        for (int i = 1; i < order.length; i++) {
            int at = i;
            for (int before = i - 1; before >= 0; before--) {
                int comparison = compare(order[before], order[at], sizes, all, count);
                if (comparison < 0) {
                    break;
                }
                if (comparison > 0) {
                    int held = order[before];
                    order[before] = order[at];
                    order[at] = held;
                    at = before;
                }
            }
        }
        int[] strides = new int[sizes.length];
        int running = 1;
        for (int d : order) {
            strides[d] = running;
            running *= Math.max(sizes[d], 1);
        }
        return strides;
    }

    /** Strides over the sizes of the result, 0 where elements repeat. */
    private static int[] broadcast(Tensor t, int[] sizes) {
        int[] strides = new int[sizes.length];
        int lead = sizes.length - t.rank();
        for (int d = Math.max(0, -lead); d < t.rank(); d++) {
            strides[lead + d] = t.sizes()[d] == 1 && sizes[lead + d] != 1 ? 0 : t.strides()[d];
        }
        return strides;
    }

    /**
     * Negative if one dimension lies inside another by the first operand that tells, positive if around it, and 0 if
     * none does.
     */
    private static int compare(int one, int other, int[] sizes, int[][] strides, int count) {
        for (int i = 0; i < count; i++) {
            int p = strides[i][one];
            int q = strides[i][other];
            if (p != 0 && q != 0 && (p != q || sizes[one] > sizes[other])) {
                return p < q ? -1 : 1;
            }
        }
        return 0;
    }

    /** PyTorch's suggested memory format: channels last if the strides say so and not also row-major. */
    public static MemoryFormat suggested(Tensor t) {
        if (t.rank() == 4 && likeChannelsLast(t, 0, 2, 3, 1)) {
            return MemoryFormat.CHANNELS_LAST;
        }
        if (t.rank() == 5 && likeChannelsLast(t, 0, 2, 3, 4, 1)) {
            return MemoryFormat.CHANNELS_LAST_3D;
        }
        return MemoryFormat.CONTIGUOUS;
    }

    /** A result in the memory format that its input suggests. */
    public static Tensor asSuggested(Tensor input, Tensor result) {
        MemoryFormat format = suggested(input);
        return format == MemoryFormat.CONTIGUOUS ? result : result.contiguous(format);
    }

    /**
     * c10's is_channels_last_strides: strides fall along {@code order}, and the tensor is not a row-major N11 or NC11
     * one.
     */
    private static boolean likeChannelsLast(Tensor t, int... order) {
        int least = 0;
        if (t.strides()[1] == 0) {
            return false;
        }
        for (int i = order.length - 1; i >= 0; i--) {
            int d = order[i];
            if (t.sizes()[d] == 0 || t.strides()[d] < least) {
                return false;
            }
            if (d == 0 && least == t.strides()[1]) {
                return false;
            }
            least = t.strides()[d];
            if (t.sizes()[d] > 1) {
                least *= t.sizes()[d];
            }
        }
        return true;
    }
}
