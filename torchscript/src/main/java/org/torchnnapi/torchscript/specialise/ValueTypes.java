package org.torchnnapi.torchscript.specialise;

import org.torchnnapi.program.Element;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;

/** The types of a program's values for tensors. */
final class ValueTypes {
    private static final long MAX_ELEMENTS = 1L << 28;

    private ValueTypes() {
    }

    /** Null for tensors that no program can have: of other elements than float32, per-tensor quantized bytes and bool, empty or huge. */
    static ValueType of(Geometry g) {
        long count = Shape.numel(g.sizes());
        if (count < 1 || count > MAX_ELEMENTS) {
            return null;
        }
        if (g.dtype() == DType.FLOAT32) {
            return ValueType.floats(g.sizes());
        }
        if (g.dtype() == DType.BOOL) {
            // A byte 0 or 1.
            return new ValueType(Element.UINT8, g.sizes(), 1, 0);
        }
        Element element = g.dtype() == DType.QUINT8 ? Element.UINT8 : g.dtype() == DType.QINT8 ? Element.INT8 : null;
        if (element == null || !(g.quantization() instanceof Quantization.PerTensor q) || q.zeroPoint() < element.min()
            || q.zeroPoint() > element.max() || !((float) q.scale() > 0)) {
            return null;
        }
        return new ValueType(element, g.sizes(), (float) q.scale(), q.zeroPoint());
    }
}
