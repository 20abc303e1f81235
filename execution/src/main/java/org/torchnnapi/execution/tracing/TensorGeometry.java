package org.torchnnapi.execution.tracing;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongFunction;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** What is known of a tensor without its elements. */
record TensorGeometry(DType dtype, int[] sizes, int[] strides, Quantization quantization) {
    static TensorGeometry of(Tensor t) {
        return new TensorGeometry(t.dtype(), t.sizes(), t.strides(), t.quantization());
    }

    boolean fits(Tensor t) {
        return t.dtype() == dtype
                && Arrays.equals(t.sizes(), sizes)
                && Arrays.equals(t.strides(), strides)
                && Objects.equals(t.quantization(), quantization);
    }

    /** The dense order its elements lie in: channels last only where they do and are not row-major too. */
    MemoryFormat format() {
        return !isDense(MemoryFormat.CONTIGUOUS) && isDense(MemoryFormat.CHANNELS_LAST)
                ? MemoryFormat.CHANNELS_LAST
                : MemoryFormat.CONTIGUOUS;
    }

    boolean isDense(MemoryFormat format) {
        return Shape.isContiguous(sizes, strides, format);
    }

    /** A tensor of this geometry over memory of its own; {@code fill} makes the storage for a number of elements. */
    Tensor tensor(LongFunction<Storage> fill) {
        long last = 0;
        for (int d = 0; d < sizes.length; d++) {
            last += sizes[d] == 0 ? 0 : (long) strides[d] * (sizes[d] - 1);
        }
        return new Tensor(fill.apply(last + 1), 0, sizes, strides, quantization);
    }

    Tensor zeros() {
        return tensor(length -> Storage.allocate(dtype, length));
    }

    Tensor withoutData() {
        return tensor(length -> Storage.withoutData(dtype, length));
    }

    /**
     * A tensor of this geometry with the elements of another of its sizes: that memory where it lies so, otherwise a
     * copy.
     *
     * @param own whether the memory must be new
     */
    Tensor place(Tensor t, boolean own) {
        if (!own && sameOrder(t)) {
            return Arrays.equals(t.strides(), strides) ? t : t.asStrided(sizes, strides, t.offset());
        }
        Tensor placed = zeros();
        placed.copyFrom(t);
        return placed;
    }

    private boolean sameOrder(Tensor t) {
        for (int d = 0; d < sizes.length; d++) {
            if (sizes[d] > 1 && strides[d] != t.strides()[d]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorGeometry g
                && g.dtype == dtype
                && Arrays.equals(g.sizes, sizes)
                && Arrays.equals(g.strides, strides)
                && Objects.equals(g.quantization, quantization);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(sizes) + Arrays.hashCode(strides);
    }

    @Override
    public String toString() {
        return dtype.torchName() + Arrays.toString(sizes);
    }
}
