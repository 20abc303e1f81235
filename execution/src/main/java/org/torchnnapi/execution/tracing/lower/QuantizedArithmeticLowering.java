package org.torchnnapi.execution.tracing.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** Sums, products and joins of quantized tensors, with and without ReLU. */
final class QuantizedArithmeticLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String suffix : new String[] {"", "_relu"}) {
            r.add("quantized::add" + suffix, (lowered, node, a) -> add(lowered, a, !suffix.isEmpty()));
            r.add("quantized::mul" + suffix, (lowered, node, a) -> ByteFunctions.binary(lowered, a));
            r.add("quantized::add_scalar" + suffix, (lowered, node, a) -> ByteFunctions.unary(lowered, a, 0));
            r.add("quantized::mul_scalar" + suffix, (lowered, node, a) -> ByteFunctions.unary(lowered, a, 0));
            r.add("quantized::cat" + suffix, (lowered, node, a) -> cat(lowered, a));
        }
    }

    /** QNNPACK's fixed-point sum where the operator has it; it can become part of the convolution before. */
    private static Tensor add(Lowered lowered, Object[] a, boolean relu) {
        Tensor x = Support.bytes(a, 0);
        Tensor y = Support.bytes(a, 1);
        Quantization.PerTensor qx = QuantizedMath.perTensor(x);
        Quantization.PerTensor qy = QuantizedMath.perTensor(y);
        Quantization.PerTensor output = new Quantization.PerTensor(Args.real(a, 2), Args.int32(a, 3));
        if (x.dtype() != DType.QUINT8
                || y.dtype() != DType.QUINT8
                || !Arrays.equals(x.sizes(), y.sizes())
                || !QuantizedSum.isFixedPoint((float) qx.scale(), (float) qy.scale(), (float) output.scale())) {
            return ByteFunctions.binary(lowered, a);
        }
        QuantizedSum sum = QuantizedSum.fixedPoint(
                (float) qx.scale(),
                qx.zeroPoint(),
                (float) qy.scale(),
                qy.zeroPoint(),
                false,
                (float) output.scale(),
                output.zeroPoint(),
                false,
                relu ? output.zeroPoint() : 0,
                255);
        return lowered.compute(
                new QuantizedAddOp(sum, Support.quantization(x.dtype(), output)),
                Lowered.tensor(x.dtype(), output, x.sizes(), MemoryOrder.resultStrides(x.sizes(), x, y)),
                x,
                y);
    }

    /**
     * Every part is first brought to the scale and zero point of the result, as the operator does with a single part.
     */
    private static Tensor cat(Lowered lowered, Object[] a) {
        List<Tensor> parts = Args.tensors(a, 0);
        Tensor first = parts.get(0);
        Object[] given = a.clone();
        if (given[2] == null || given[3] == null) {
            Support.bytes(new Object[] {first}, 0);
            Quantization.PerTensor own = QuantizedMath.perTensor(first);
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
