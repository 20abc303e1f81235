package org.torchnnapi.operators.ops;

import java.util.function.UnaryOperator;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Complex tensors by their real and imaginary parts. */
final class ComplexParts {
    private ComplexParts() {}

    /** Applies a linear real function to both parts. */
    static Tensor apply(Tensor complex, UnaryOperator<Tensor> f) {
        return join(f.apply(part(complex, 0)), f.apply(part(complex, 1)), complex.dtype());
    }

    /** A row-major copy of the real (0) or imaginary (1) part. */
    static Tensor part(Tensor complex, int which) {
        return ComplexOperators.part(complex, which).copy(MemoryFormat.CONTIGUOUS);
    }

    static Tensor join(Tensor real, Tensor imaginary, DType type) {
        Tensor out = Tensors.empty(type, real.sizes());
        Elements.DoubleWriter parts =
                Elements.doubleWriter(type.part(), out.storage().array());
        for (int i = 0; i < real.numel(); i++) {
            parts.set(2 * i, real.getDouble(i));
            parts.set(2 * i + 1, imaginary.getDouble(i));
        }
        return out;
    }
}
