package org.torchnnapi.converter.emit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** The bytes of tensors' elements in the order of their dimensions, whatever memory they lie in. */
public final class TensorBytes {
    private TensorBytes() {
    }

    /** Whether two tensors have the same elements, sizes, dtype and quantization. */
    public static boolean areEqual(Tensor a, Tensor b) {
        return a == b || Arrays.equals(a.sizes(), b.sizes()) && a.dtype() == b.dtype() && Objects.equals(a.quantization(), b.quantization()) && of(a).equals(of(b));
    }

    /** The bytes of all elements; the tensor's own memory where it holds just them in this order. */
    static ByteBuffer of(Tensor tensor) {
        Tensor dense = tensor.arranged();
        boolean whole = dense.isContiguous() && dense.offset() == 0 && dense.storage().length() == dense.numel();
        return (whole ? dense : dense.copy(MemoryFormat.CONTIGUOUS)).storage().view();
    }
}
