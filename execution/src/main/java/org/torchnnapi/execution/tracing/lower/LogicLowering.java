package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.CompareOp;
import org.torchnnapi.program.op.CompareOp.Relation;
import org.torchnnapi.program.op.Int32BinaryOp;
import org.torchnnapi.program.op.Int32BinaryOp.Function;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Conjunction, disjunction and negation of conditions; the bitwise operators only of bool. */
final class LogicLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        logic(r, new Int32BinaryOp(Function.AND), "and");
        logic(r, new Int32BinaryOp(Function.OR), "or");
        logic(r, new CompareOp(Relation.NOT_EQUAL), "xor");
        r.add("aten::logical_not", (lowered, node, a) -> not(lowered, a[0]));
        r.add("aten::bitwise_not", (lowered, node, a) -> {
            requireBool(a[0]);
            return not(lowered, a[0]);
        });
    }

    private static void logic(Registrar r, Op op, String name) {
        r.add("aten::logical_" + name, (lowered, node, a) -> both(lowered, op, a[0], a[1]));
        for (String bitwise : new String[] {"bitwise_" + name, "__" + name + "__", "__i" + name + "_"}) {
            r.add("aten::" + bitwise, (lowered, node, a) -> {
                requireBool(a[0]);
                requireBool(a[1]);
                return both(lowered, op, a[0], a[1]);
            });
        }
    }

    private static void requireBool(Object value) {
        Support.require(value instanceof Boolean || value instanceof Tensor t && t.dtype() == DType.BOOL, "bool");
    }

    private static Tensor both(Lowered lowered, Op op, Object a, Object b) {
        Tensor x = PromotedNumbers.operand(lowered, a, DType.BOOL);
        Tensor y = PromotedNumbers.operand(lowered, b, DType.BOOL);
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        return lowered.compute(
                op, Lowered.tensor(DType.BOOL, null, sizes, MemoryOrder.resultStrides(sizes, x, y)), x, y);
    }

    private static Tensor not(Lowered lowered, Object a) {
        Tensor x = PromotedNumbers.operand(lowered, a, DType.BOOL);
        return lowered.compute(
                new CompareOp(Relation.EQUAL),
                Support.like(x, DType.BOOL, null),
                x,
                Tensor.of(DType.BOOL, new byte[1]));
    }
}
