package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Tensors as lists of numbers. */
public final class TensorLists {
    private TensorLists() {}

    /** {@code tensor.tolist()}: the annotated type says how deep the list is and what it holds. */
    public static Object of(Tensor tensor, Type type) {
        int depth = 0;
        Type scalar = type;
        while (scalar instanceof Type.ListType list) {
            scalar = list.element();
            depth++;
        }
        if (depth != tensor.rank()) {
            throw new IllegalArgumentException(
                    "Output annotation list dimension and runtime tensor dimension must match");
        }
        if (!holds(scalar, tensor.dtype())) {
            throw new IllegalArgumentException(
                    "Output annotation element type and runtime tensor element type must match for tolist(): "
                            + scalar.text() + " and " + tensor.dtype().torchName()
                            + " (expected: int64 for int, bool for bool, a floating type for float, a complex one "
                            + "for complex)");
        }
        long[] position = {0};
        return nested(tensor, type, 0, position);
    }

    private static Object nested(Tensor tensor, Type type, int dim, long[] position) {
        if (!(type instanceof Type.ListType list)) {
            return Tensors.element(tensor, position[0]++);
        }
        ScriptList items = new ScriptList(list.element());
        for (int i = 0; i < tensor.sizes()[dim]; i++) {
            items.items().add(nested(tensor, list.element(), dim + 1, position));
        }
        return items;
    }

    private static boolean holds(Type scalar, DType elements) {
        if (scalar == Type.Basic.INT || scalar == Type.Basic.BOOL) {
            return elements == (scalar == Type.Basic.INT ? DType.INT64 : DType.BOOL);
        }
        return scalar == Type.Basic.COMPLEX
                ? elements.isComplex()
                : scalar != Type.Basic.FLOAT || elements.isFloating();
    }
}
