package org.torchnnapi.execution.tracing;

import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** The types of a program's values for tensors. */
final class ValueTypes {
    private static final long MAX_ELEMENTS = 1L << 28;

    private ValueTypes() {}

    /**
     * Null for tensors that no program can have: of other elements than float32, whole numbers of 32 and 64 bits, plain
     * unsigned bytes, per-tensor quantized bytes and bool, empty or huge. Wide numbers are 32-bit ones in a program,
     * which fails where they do not fit.
     */
    static ValueType of(TensorGeometry g) {
        long count = Shape.numel(g.sizes());
        if (count < 1 || count > MAX_ELEMENTS) {
            return null;
        }
        if (g.dtype() == DType.FLOAT32) {
            return ValueType.floats(g.sizes());
        }
        if (g.dtype() == DType.BOOL) {
            return ValueType.flags(g.sizes());
        }
        if (isNumbers(g.dtype())) {
            return ValueType.ints(g.sizes());
        }
        if (g.dtype() == DType.UINT8) {
            return new ValueType(Element.UINT8, g.sizes(), 1, 0);
        }
        Element element = g.dtype() == DType.QUINT8 ? Element.UINT8 : g.dtype() == DType.QINT8 ? Element.INT8 : null;
        if (element == null
                || !(g.quantization() instanceof Quantization.PerTensor q)
                || q.zeroPoint() < element.min()
                || q.zeroPoint() > element.max()
                || !((float) q.scale() > 0)) {
            return null;
        }
        return new ValueType(element, g.sizes(), (float) q.scale(), q.zeroPoint());
    }

    /** The type of a constant, whose elements are known to fit or not. */
    static ValueType of(Tensor constant) {
        if (constant.dtype() == DType.INT64) {
            for (long value : Elements.longs(constant)) {
                if (value != (int) value) {
                    return null;
                }
            }
        }
        return of(TensorGeometry.of(constant));
    }

    /** Whether tensors of the type are 32-bit numbers in a program. */
    static boolean isNumbers(DType type) {
        return type == DType.INT64 || type == DType.INT32;
    }
}
