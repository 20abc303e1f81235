package org.torchnnapi.execution.tracing.lower;

import java.util.Map;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.Int32BinaryOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Sums, differences, products, quotients and extremes of two tensors of float32 or whole numbers, or of one and a
 * number.
 */
final class ArithmeticLowering implements LoweringFamily {
    private static final Map<BinaryOp, Int32BinaryOp.Function> WHOLE = Map.of(
            BinaryOp.ADD,
            Int32BinaryOp.Function.ADD_EXACT,
            BinaryOp.SUB,
            Int32BinaryOp.Function.SUB_EXACT,
            BinaryOp.MUL,
            Int32BinaryOp.Function.MUL_EXACT,
            BinaryOp.MAX,
            Int32BinaryOp.Function.MAX,
            BinaryOp.MIN,
            Int32BinaryOp.Function.MIN);

    @Override
    public void register(Registrar r) {
        r.add("aten::add", (lowered, node, a) -> scaled(lowered, BinaryOp.ADD, a[0], a[1], alpha(a)));
        r.add("aten::sub", (lowered, node, a) -> scaled(lowered, BinaryOp.SUB, a[0], a[1], alpha(a)));
        r.add("aten::rsub", (lowered, node, a) -> {
            Support.require(alpha(a) == 1, "alpha of 1");
            return lower(lowered, BinaryOp.SUB, a[1], a[0]);
        });
        for (String name : new String[] {"mul", "multiply"}) {
            r.add("aten::" + name, (lowered, node, a) -> lower(lowered, BinaryOp.MUL, a[0], a[1]));
        }
        for (String name : new String[] {"div", "divide", "true_divide"}) {
            r.add("aten::" + name, (lowered, node, a) -> {
                Support.require(a.length == 2 || a[2] == null, "no rounding");
                return lower(lowered, BinaryOp.DIV, a[0], a[1]);
            });
        }
        for (String name : new String[] {"maximum", "max"}) {
            r.add(
                    "aten::" + name,
                    (lowered, node, a) ->
                            a.length == 3 ? PlacesLowering.both(lowered, a, true) : extreme(lowered, BinaryOp.MAX, a));
        }
        for (String name : new String[] {"minimum", "min"}) {
            r.add(
                    "aten::" + name,
                    (lowered, node, a) ->
                            a.length == 3 ? PlacesLowering.both(lowered, a, false) : extreme(lowered, BinaryOp.MIN, a));
        }
    }

    private static Tensor extreme(Lowered lowered, BinaryOp op, Object[] a) {
        Support.require(a.length == 2 && a[0] instanceof Tensor && a[1] instanceof Tensor, "two tensors");
        return lower(lowered, op, a[0], a[1]);
    }

    private static double alpha(Object[] a) {
        Support.require(a.length == 3 && a[2] instanceof Number, "a number");
        return ((Number) a[2]).doubleValue();
    }

    private static Tensor scaled(Lowered lowered, BinaryOp op, Object a, Object b, double alpha) {
        if (alpha == 1) {
            return lower(lowered, op, a, b);
        }
        DType type = Promotion.of(a, b);
        if (type != DType.FLOAT32) {
            Support.require(type != DType.BOOL, "numbers");
            Support.require(alpha == (long) alpha, "a whole number");
            return lower(lowered, op, a, lower(lowered, BinaryOp.MUL, b, (long) alpha));
        }
        Tensor scaled = lowered.varies(b) ? lower(lowered, BinaryOp.MUL, b, alpha) : times(b, (float) alpha);
        return lower(lowered, op, a, scaled);
    }

    private static Tensor times(Object constant, float alpha) {
        Tensor t = operand(constant);
        float[] values = Support.values(t).clone();
        for (int i = 0; i < values.length; i++) {
            values[i] *= alpha;
        }
        return Tensor.of(values, t.sizes());
    }

    /** @param a a tensor or a number; {@code b} likewise */
    static Tensor lower(Lowered lowered, BinaryOp op, Object a, Object b) {
        Support.require(
                (a instanceof Tensor || a instanceof Number) && (b instanceof Tensor || b instanceof Number),
                "tensors or numbers");
        DType met = Promotion.of(a, b);
        // Quotients of whole numbers are real ones.
        DType type = op == BinaryOp.DIV && met.isIntegral() ? DType.FLOAT32 : met;
        Support.require(
                type == DType.FLOAT32 || PromotedNumbers.isWhole(type) && WHOLE.containsKey(op),
                "float32 or whole numbers");
        Tensor x = PromotedNumbers.operand(lowered, a, type);
        Tensor y = PromotedNumbers.operand(lowered, b, type);
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        Tensor result = Lowered.tensor(type, null, sizes, MemoryOrder.resultStrides(sizes, x, y));
        return lowered.compute(
                type == DType.FLOAT32 ? BinaryMathOp.of(op) : new Int32BinaryOp(WHOLE.get(op)), result, x, y);
    }

    private static Tensor operand(Object constant) {
        return constant instanceof Tensor t ? Support.asFloat(t) : Support.scalar(((Number) constant).doubleValue());
    }
}
