package org.torchnnapi.operators.ops;

import java.util.function.UnaryOperator;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Complex tensors by their real and imaginary parts. */
final class ComplexParts {
    private ComplexParts() {
    }

    /** Applies a linear real function to both parts. */
    static Tensor apply(Tensor complex, UnaryOperator<Tensor> f) {
        return join(f.apply(part(complex, 0)), f.apply(part(complex, 1)), complex.dtype());
    }

    /** A row-major copy of the real (0) or imaginary (1) part. */
    static Tensor part(Tensor complex, int which) {
        Tensor dense = complex.copy(MemoryFormat.CONTIGUOUS);
        int count = (int) dense.numel();
        if (complex.dtype() == DType.COMPLEX64) {
            float[] in = dense.storage().floatArray();
            float[] out = new float[count];
            for (int i = 0; i < count; i++) {
                out[i] = in[2 * i + which];
            }
            return Tensor.of(DType.FLOAT32, out, dense.sizes());
        }
        double[] in = dense.storage().doubleArray();
        double[] out = new double[count];
        for (int i = 0; i < count; i++) {
            out[i] = in[2 * i + which];
        }
        return Tensor.of(DType.FLOAT64, out, dense.sizes());
    }

    static Tensor join(Tensor real, Tensor imaginary, DType type) {
        Tensor out = Tensors.empty(type, real.sizes());
        for (int i = 0; i < real.numel(); i++) {
            if (type == DType.COMPLEX64) {
                out.storage().floatArray()[2 * i] = (float) real.getDouble(i);
                out.storage().floatArray()[2 * i + 1] = (float) imaginary.getDouble(i);
            } else {
                out.storage().doubleArray()[2 * i] = real.getDouble(i);
                out.storage().doubleArray()[2 * i + 1] = imaginary.getDouble(i);
            }
        }
        return out;
    }
}
