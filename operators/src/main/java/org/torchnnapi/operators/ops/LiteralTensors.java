package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptList;

/** Tensors of written-out numbers, and numbers of tensors. */
public final class LiteralTensors implements OperatorFamily {
    private static final int MAX_DEPTH = 64;

    @Override
    public void register(Registrar r) {
        for (String name : new String[] {"float", "int", "bool", "complex"}) {
            r.op(
                    "aten::tensor." + name + "(" + name
                            + " t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
                    a -> number(scalar(a, 0), dtypeOr(a, 1, null)));
            r.op(
                    "aten::as_tensor." + name + "(" + name
                            + " t, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
                    a -> number(scalar(a, 0), dtypeOr(a, 1, null)));
        }
        r.op(
                "aten::tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> "
                        + "Tensor",
                a -> list(a[0], dtypeOr(a, 1, null)));
        r.op(
                "aten::as_tensor.list(t[] data, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
                a -> list(a[0], dtypeOr(a, 1, null)));
        r.op(
                "aten::as_tensor(Tensor(a) data, *, ScalarType? dtype=None, Device? device=None) -> Tensor(b|a)",
                a -> Elements.cast(tensor(a, 0), dtypeOr(a, 1, tensor(a, 0).dtype())));
        r.op(
                "aten::scalar_tensor.out(Scalar s, *, Tensor(a!) out) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 1), Tensors.ofNumber(scalar(a, 0))));
    }

    private static Tensor number(Object value, DType wanted) {
        return Elements.cast(Tensors.ofNumber(value), wanted != null ? wanted : Promotion.ofNumber(value))
                .copy(MemoryFormat.CONTIGUOUS);
    }

    private static Tensor list(Object data, DType wanted) {
        List<Object> numbers = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        collect(data, 0, sizes, numbers);
        int[] shape = sizes.stream().mapToInt(Integer::intValue).toArray();
        boolean anyComplex = false;
        boolean anyReal = false;
        boolean allBool = !numbers.isEmpty();
        for (Object number : numbers) {
            anyComplex |= number instanceof Complex;
            anyReal |= number instanceof Double;
            allBool &= number instanceof Boolean;
        }
        DType found = anyComplex
                ? DType.COMPLEX64
                : anyReal || numbers.isEmpty() ? DType.FLOAT32 : allBool ? DType.BOOL : DType.INT64;
        if (numbers.isEmpty() && data instanceof ScriptList typed) {
            Type element = typed.elementType();
            while (element instanceof Type.ListType inner) {
                element = inner.element();
            }
            if (element == Type.Basic.TENSOR) {
                throw new IllegalArgumentException("Input must be of ints, floats, or bools, got Tensor");
            }
            found = element == Type.Basic.INT ? DType.INT64 : element == Type.Basic.BOOL ? DType.BOOL : DType.FLOAT32;
        }
        DType type = wanted != null ? wanted : found;
        Tensor out = Tensors.empty(type, shape);
        for (int i = 0; i < numbers.size(); i++) {
            Tensor element = out.asStrided(new int[0], new int[0], i);
            Tensors.copyInto(element, Tensors.ofNumber(numbers.get(i)));
        }
        return out;
    }

    /** Flattens nested lists whose rows must have equal lengths. */
    private static void collect(Object data, int depth, List<Integer> sizes, List<Object> numbers) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "tensor: list nested deeper than " + MAX_DEPTH + " levels (expected: at most that)");
        }
        if (!(data instanceof ScriptList list)) {
            numbers.add(data instanceof Tensor t ? Tensors.item(t) : data);
            return;
        }
        if (depth == sizes.size()) {
            sizes.add(list.size());
        } else if (sizes.get(depth) != list.size()) {
            throw new IllegalArgumentException("Expected sequence of length " + sizes.get(depth) + " at dim " + depth
                    + " (got " + list.size() + ")");
        }
        for (Object item : list.items()) {
            collect(item, depth + 1, sizes, numbers);
        }
    }
}
