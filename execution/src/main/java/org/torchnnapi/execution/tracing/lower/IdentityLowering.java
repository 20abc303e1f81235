package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.NoDataException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/**
 * Operators that give a tensor's elements as they are: itself, a view of all of it, or a copy in an order of its own.
 */
final class IdentityLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String name : new String[] {"aten::detach", "aten::alias"}) {
            r.add(name, (lowered, node, a) -> lowered.same((Tensor) lowered.kernel(a), (Tensor) a[0]));
        }
        // In training they would not get here.
        for (String name : new String[] {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"}) {
            r.add("aten::" + name, (lowered, node, a) -> a[0]);
        }
        r.add("aten::contiguous", (lowered, node, a) -> ordered(lowered, a, MemoryFormat.ofCode(Args.integer(a, 1))));
        r.add(
                "aten::clone",
                (lowered, node, a) -> copied(lowered, (Tensor) a[0], Args.formatOr(a, 1, MemoryFormat.PRESERVE)));
        r.add("aten::to", (lowered, node, a) -> converted(lowered, node, a));
        r.add(
                "aten::type_as",
                (lowered, node, a) ->
                        retyped(lowered, (Tensor) a[0], Args.tensor(a, 1).dtype(), MemoryFormat.PRESERVE));
        r.add(
                "aten::_cast_Float",
                (lowered, node, a) -> retyped(lowered, (Tensor) a[0], DType.FLOAT32, MemoryFormat.PRESERVE));
        r.add(
                "aten::_cast_Long",
                (lowered, node, a) -> retyped(lowered, (Tensor) a[0], DType.INT64, MemoryFormat.PRESERVE));
    }

    private static Tensor ordered(Lowered lowered, Object[] a, MemoryFormat format) {
        try {
            return (Tensor) lowered.kernel(a);
        } catch (NoDataException e) {
            return copied(lowered, (Tensor) a[0], format);
        }
    }

    private static Tensor copied(Lowered lowered, Tensor t, MemoryFormat format) {
        Tensor copy = format != MemoryFormat.PRESERVE
                ? Lowered.tensor(t.dtype(), t.quantization(), format, t.sizes())
                : MemoryOrder.isDense(t)
                        ? Lowered.tensor(t.dtype(), t.quantization(), t.sizes(), t.strides())
                        : Lowered.tensor(t.dtype(), t.quantization(), t.sizes());
        return lowered.same(copy, t);
    }

    /** A conversion to the type that the tensor has, or to another. */
    private static Tensor converted(Lowered lowered, Node node, Object[] a) {
        Tensor t = (Tensor) a[0];
        int type = node.schema().indexOf("dtype");
        int other = node.schema().indexOf("other");
        DType wanted = other >= 0
                ? Args.tensor(a, other).dtype()
                : type >= 0 && a[type] != null ? Args.dtype(a, type) : t.dtype();
        int format = node.schema().indexOf("memory_format");
        MemoryFormat order = format < 0 ? MemoryFormat.PRESERVE : Args.formatOr(a, format, MemoryFormat.PRESERVE);
        if (wanted != t.dtype()) {
            return retyped(lowered, t, wanted, order);
        }
        try {
            return (Tensor) lowered.kernel(a);
        } catch (NoDataException e) {
            return copied(lowered, t, order);
        }
    }

    private static Tensor retyped(Lowered lowered, Tensor t, DType type, MemoryFormat format) {
        Tensor geometry = format == MemoryFormat.PRESERVE
                ? Support.like(t, type, null)
                : Lowered.tensor(type, null, format, t.sizes());
        return PromotedNumbers.converted(lowered, t, type, geometry);
    }
}
