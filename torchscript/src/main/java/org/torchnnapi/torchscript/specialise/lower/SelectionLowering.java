package org.torchnnapi.torchscript.specialise.lower;

import java.util.Arrays;
import org.torchnnapi.program.op.MaskedFill;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Broadcast;
import org.torchnnapi.torchscript.aten.support.Layout;

/** One number in place of what a mask says. */
final class SelectionLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::masked_fill", (lowered, node, a) -> fill(lowered, a[0], a[1], number(lowered, a[2]), true, false));
        r.add("aten::where", (lowered, node, a) -> {
            Support.require(a.length == 3, "two values");
            return isNumber(lowered, a[1]) ? fill(lowered, a[2], a[0], number(lowered, a[1]), true, true)
                : fill(lowered, a[1], a[0], number(lowered, a[2]), false, true);
        });
    }

    private static boolean isNumber(Lowered lowered, Object value) {
        return value instanceof Double || value instanceof Long
            || value instanceof Tensor t && !lowered.varies(t) && t.rank() == 0 && t.dtype() == DType.FLOAT32;
    }

    private static float number(Lowered lowered, Object value) {
        Support.require(isNumber(lowered, value), "a number");
        return value instanceof Tensor t ? (float) t.getDouble(0) : ((Number) value).floatValue();
    }

    /** @param dense whether the result is row-major however the values lie */
    private static Tensor fill(Lowered lowered, Object values, Object marks, float number, boolean where, boolean dense) {
        Support.require(Support.isOperand(values) && marks instanceof Tensor m && m.dtype() == DType.BOOL, "float32 and a mask");
        Tensor x = (Tensor) values;
        Tensor mask = (Tensor) marks;
        int[] sizes = Broadcast.shape(x.sizes(), mask.sizes());
        Tensor geometry = dense ? Lowered.tensor(DType.FLOAT32, null, sizes)
            : Lowered.tensor(DType.FLOAT32, null, sizes, Layout.resultStrides(sizes, x, mask));
        Tensor whole = Arrays.equals(sizes, x.sizes()) ? x : ArrangementLowering.expand(lowered, x, Lowered.tensor(DType.FLOAT32, null, sizes));
        return lowered.compute(new MaskedFill(number, where), geometry, whole, mask);
    }
}
