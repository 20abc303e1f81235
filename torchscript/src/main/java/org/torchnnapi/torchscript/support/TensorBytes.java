package org.torchnnapi.torchscript.support;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** The bytes of tensors' elements in the order of their dimensions, whatever memory they lie in. */
public final class TensorBytes {
    private static final int SAMPLED = 1024;

    private TensorBytes() {}

    /** Whether two tensors have the same elements, sizes, dtype and quantization. */
    public static boolean areEqual(Tensor a, Tensor b) {
        return a == b
                || Arrays.equals(a.sizes(), b.sizes())
                        && a.dtype() == b.dtype()
                        && Objects.equals(a.quantization(), b.quantization())
                        && of(a).equals(of(b));
    }

    /**
     * The same number for tensors that are equal, and rarely for others; it is found of some elements only, so that
     * large ones cost little, in whatever order they lie.
     */
    public static int fingerprint(Tensor tensor) {
        // Odd, lest it falls on the same column of each row.
        long step = tensor.numel() / SAMPLED | 1;
        int[] places = LongStream.range(0, (tensor.numel() + step - 1) / step)
                .mapToInt(i -> tensor.place(i * step))
                .toArray();
        return 31 * (31 * Arrays.hashCode(tensor.sizes()) + tensor.dtype().hashCode())
                + Arrays.hashCode(tensor.storage().bytesOf(places));
    }

    /** The bytes of all elements; the tensor's own memory where it holds just them in this order. */
    static ByteBuffer of(Tensor tensor) {
        Tensor dense = tensor.arranged();
        boolean whole =
                dense.isContiguous() && dense.offset() == 0 && dense.storage().length() == dense.numel();
        return (whole ? dense : dense.copy(MemoryFormat.CONTIGUOUS)).storage().view();
    }
}
