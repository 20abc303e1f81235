package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.program.op.CompareOp;
import org.torchnnapi.program.op.CompareOp.Relation;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Relations of the elements of two tensors, or of one and a number, in the type in which both meet. */
final class ComparisonLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        relation(r, Relation.EQUAL, "eq");
        relation(r, Relation.NOT_EQUAL, "ne", "not_equal");
        relation(r, Relation.LESS, "lt", "less");
        relation(r, Relation.LESS_EQUAL, "le", "less_equal");
        relation(r, Relation.GREATER, "gt", "greater");
        relation(r, Relation.GREATER_EQUAL, "ge", "greater_equal");
    }

    private static void relation(Registrar r, Relation relation, String... names) {
        for (String name : names) {
            r.add("aten::" + name, (lowered, node, a) -> compare(lowered, relation, a[0], a[1]));
        }
    }

    /** Bytes are compared with bytes, which numbers become first. */
    private static Tensor operand(Lowered lowered, Object value, DType type, DType met) {
        if (type != DType.UINT8) {
            return PromotedNumbers.operand(lowered, value, met);
        }
        if (!lowered.varies(value)) {
            return PromotedNumbers.operand(lowered, Tensors.operand(value, type), met);
        }
        DType own = ((Tensor) value).dtype();
        Support.require(own == DType.UINT8 || own == DType.BOOL, "bytes");
        return PromotedNumbers.operand(lowered, value, met);
    }

    private static Tensor compare(Lowered lowered, Relation relation, Object a, Object b) {
        DType type = Promotion.of(a, b);
        DType met = type == DType.BOOL || type == DType.UINT8 ? DType.INT64 : type;
        Support.require(met == DType.FLOAT32 || PromotedNumbers.isWhole(met), "float32, whole numbers or bool");
        Tensor x = operand(lowered, a, type, met);
        Tensor y = operand(lowered, b, type, met);
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        return lowered.compute(
                new CompareOp(relation),
                Lowered.tensor(DType.BOOL, null, sizes, MemoryOrder.resultStrides(sizes, x, y)),
                x,
                y);
    }
}
