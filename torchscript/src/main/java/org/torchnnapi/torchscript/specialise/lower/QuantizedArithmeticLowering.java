package org.torchnnapi.torchscript.specialise.lower;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Args;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Sums, products and joins of quantized tensors, with and without ReLU. */
final class QuantizedArithmeticLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String suffix : new String[] {"", "_relu"}) {
            r.add("quantized::add" + suffix, (lowered, node, a) -> ByteFunctions.binary(lowered, a));
            r.add("quantized::mul" + suffix, (lowered, node, a) -> ByteFunctions.binary(lowered, a));
            r.add("quantized::add_scalar" + suffix, (lowered, node, a) -> ByteFunctions.unary(lowered, a, 0));
            r.add("quantized::mul_scalar" + suffix, (lowered, node, a) -> ByteFunctions.unary(lowered, a, 0));
            r.add("quantized::cat" + suffix, (lowered, node, a) -> cat(lowered, a));
        }
    }

    /** Every part is first brought to the scale and zero point of the result, as the operator does with a single part. */
    private static Tensor cat(Lowered lowered, Object[] a) {
        List<Tensor> parts = Args.tensors(a, 0);
        Tensor first = parts.get(0);
        Object[] given = a.clone();
        if (given[2] == null || given[3] == null) {
            Support.bytes(new Object[] {first}, 0);
            var own = org.torchnnapi.torchscript.aten.support.Quantized.perTensor(first);
            given[2] = given[2] == null ? (Object) own.scale() : given[2];
            given[3] = given[3] == null ? (Object) (long) own.zeroPoint() : given[3];
        }
        List<Tensor> rescaled = new ArrayList<>();
        for (Tensor part : parts) {
            Tensor t = Support.bytes(new Object[] {part}, 0);
            Support.require(lowered.varies(t) && t.dtype() == first.dtype(), "parts of one type");
            given[0] = new ScriptList(Type.Basic.TENSOR, List.of(Support.allBytes(t, 256)));
            given[1] = 0L;
            rescaled.add(ByteFunctions.unary(lowered, t, (Tensor) lowered.kernel(given)));
        }
        return ConcatenationLowering.cat(lowered, rescaled, Args.integer(a, 1));
    }
}
