package org.torchnnapi.torchscript.specialise.lower;

import org.torchnnapi.program.op.Pad;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Args;
import org.torchnnapi.torchscript.aten.support.Layout;
import org.torchnnapi.torchscript.aten.support.Quantized;

/** Padding by a constant. */
final class PaddingLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::constant_pad_nd", (lowered, node, a) -> pad(lowered, Args.tensor(a, 0), Args.ints(a, 1), Args.real(a, 2)));
        r.add("aten::pad", (lowered, node, a) -> {
            Support.require("constant".equals(a[2]), "constant padding");
            return pad(lowered, Args.tensor(a, 0), Args.ints(a, 1), a[3] == null ? 0 : Args.real(a, 3));
        });
    }

    /** @param padding numbers before and behind, of the last dimension first */
    private static Tensor pad(Lowered lowered, Tensor t, int[] padding, double value) {
        int rank = t.rank();
        Support.require(padding.length % 2 == 0 && padding.length <= 2 * rank, "two numbers a dimension");
        int[] before = new int[rank];
        int[] after = new int[rank];
        int[] sizes = t.sizes().clone();
        for (int i = 0; i < padding.length / 2; i++) {
            int d = rank - 1 - i;
            before[d] = padding[2 * i];
            after[d] = padding[2 * i + 1];
            sizes[d] += before[d] + after[d];
        }
        float filler = (float) value;
        if (t.dtype() != DType.FLOAT32) {
            Support.require(Support.isBytes(t), "float32 or bytes");
            Tensor one = Quantized.quantize(Tensor.of(new float[] {filler}), t.quantization(), t.dtype());
            filler = Quantized.ints(one)[0];
        }
        return lowered.compute(new Pad(before, after, filler), Lowered.tensor(t.dtype(), t.quantization(), Layout.suggested(t), sizes), t);
    }
}
