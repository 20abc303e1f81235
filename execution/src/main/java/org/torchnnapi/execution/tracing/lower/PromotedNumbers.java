package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.op.ConvertOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Operands of whatever type as those of another, as type promotion asks for. */
final class PromotedNumbers {
    private PromotedNumbers() {}

    /** Whether a type's tensors, not quantized, can be values of a program. */
    static boolean isPlain(DType type) {
        return type == DType.FLOAT32 || type == DType.BOOL || type == DType.UINT8 || isWhole(type);
    }

    /** Whether a type's elements are whole numbers in a program. */
    static boolean isWhole(DType type) {
        return type == DType.INT64 || type == DType.INT32;
    }

    /**
     * A tensor or a number as a tensor of a type.
     *
     * @param to float32, bool or a whole number
     * @throws NotLoweredException if it is neither, or of another kind of elements
     */
    static Tensor operand(Lowered lowered, Object value, DType to) {
        if (value instanceof Tensor t) {
            Support.require(isPlain(t.dtype()) || !lowered.varies(t), "elements that a program has");
            return lowered.varies(t) ? converted(lowered, t, to, Support.like(t, to, null)) : Elements.cast(t, to);
        }
        Support.require(value instanceof Number || value instanceof Boolean, "a tensor or a number");
        if (to == DType.FLOAT32) {
            return Support.scalar(value instanceof Number n ? n.doubleValue() : (boolean) value ? 1 : 0);
        }
        long number = value instanceof Boolean flag ? flag ? 1 : 0 : ((Number) value).longValue();
        Support.require(!(value instanceof Double d) || d == number, "a whole number");
        return Elements.ofLongs(to, new long[] {to == DType.BOOL && number != 0 ? 1 : number});
    }

    /** @param geometry of the result, of the type wanted */
    static Tensor converted(Lowered lowered, Tensor t, DType to, Tensor geometry) {
        if (t.dtype() == to) {
            return t;
        }
        Support.require(isPlain(t.dtype()) && isPlain(to) && to != DType.UINT8, "float32, whole numbers or bool");
        return lowered.compute(
                new ConvertOp(to == DType.FLOAT32 ? Element.FLOAT32 : to == DType.BOOL ? Element.BOOL8 : Element.INT32),
                geometry,
                t);
    }
}
