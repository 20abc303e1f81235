package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.program.op.MaskedFillOp;
import org.torchnnapi.program.op.SelectOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Elements of one tensor or another, or one number, as a mask says. */
final class SelectionLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::masked_fill", (lowered, node, a) -> {
            if (Support.isOperand(a[0]) && isNumber(lowered, a[2])) {
                return fill(lowered, a[0], a[1], number(lowered, a[2]), true, true);
            }
            Tensor values = Args.tensor(a, 0);
            Tensor filler = PromotedNumbers.operand(lowered, a[2], values.dtype());
            int[] sizes =
                    BroadcastShapes.shape(values.sizes(), Args.tensor(a, 1).sizes());
            return select(lowered, a[1], filler, values, Lowered.tensor(values.dtype(), null, sizes));
        });
        r.add("aten::where", (lowered, node, a) -> {
            Support.require(a.length == 3, "two values");
            DType type = Promotion.of(a[1], a[2]);
            if (type == DType.FLOAT32 && isNumber(lowered, a[1]) && Support.isOperand(a[2])) {
                return fill(lowered, a[2], a[0], number(lowered, a[1]), true, false);
            }
            if (type == DType.FLOAT32 && isNumber(lowered, a[2]) && Support.isOperand(a[1])) {
                return fill(lowered, a[1], a[0], number(lowered, a[2]), false, false);
            }
            Tensor x = PromotedNumbers.operand(lowered, a[1], type);
            Tensor y = PromotedNumbers.operand(lowered, a[2], type);
            Tensor marks = Args.tensor(a, 0);
            int[] sizes = BroadcastShapes.shape(marks.sizes(), x.sizes(), y.sizes());
            return select(
                    lowered,
                    marks,
                    x,
                    y,
                    Lowered.tensor(type, null, sizes, MemoryOrder.resultStrides(sizes, marks, x, y)));
        });
    }

    private static Tensor select(Lowered lowered, Object marks, Tensor yes, Tensor no, Tensor geometry) {
        Support.require(marks instanceof Tensor m && (m.dtype() == DType.BOOL || m.dtype() == DType.UINT8), "a mask");
        return lowered.compute(new SelectOp(), geometry, PromotedNumbers.operand(lowered, marks, DType.BOOL), yes, no);
    }

    private static boolean isNumber(Lowered lowered, Object value) {
        return value instanceof Double
                || value instanceof Long
                || value instanceof Tensor t && !lowered.varies(t) && t.rank() == 0 && t.dtype() == DType.FLOAT32;
    }

    private static float number(Lowered lowered, Object value) {
        Support.require(isNumber(lowered, value), "a number");
        return value instanceof Tensor t ? (float) t.getDouble(0) : ((Number) value).floatValue();
    }

    /** @param dense whether the result is row-major however the values lie */
    private static Tensor fill(
            Lowered lowered, Object values, Object marks, float number, boolean where, boolean dense) {
        Support.require(
                Support.isOperand(values) && marks instanceof Tensor m && m.dtype() == DType.BOOL,
                "float32 and a mask");
        Tensor x = (Tensor) values;
        Tensor mask = (Tensor) marks;
        int[] sizes = BroadcastShapes.shape(x.sizes(), mask.sizes());
        Tensor geometry = dense
                ? Lowered.tensor(DType.FLOAT32, null, sizes)
                : Lowered.tensor(DType.FLOAT32, null, sizes, MemoryOrder.resultStrides(sizes, mask, x));
        Tensor whole = Arrays.equals(sizes, x.sizes())
                ? x
                : ArrangementLowering.expand(lowered, x, Lowered.tensor(DType.FLOAT32, null, sizes));
        return lowered.compute(new MaskedFillOp(number, where), geometry, whole, mask);
    }
}
