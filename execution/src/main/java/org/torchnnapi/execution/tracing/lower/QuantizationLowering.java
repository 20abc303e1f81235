package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.DequantizeOp;
import org.torchnnapi.program.op.QuantizeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Between float32 and bytes. */
final class QuantizationLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::quantize_per_tensor", (lowered, node, a) -> {
            Tensor t = Support.floats(a, 0);
            Support.require(!lowered.varies(a[1]) && !lowered.varies(a[2]), "a constant scale and zero point");
            DType type = Args.dtype(a, 3);
            Support.require(type == DType.QUINT8 || type == DType.QINT8, "bytes");
            Quantization.PerTensor q = new Quantization.PerTensor(Args.real(a, 1), Args.int32(a, 2));
            return lowered.compute(
                    new QuantizeOp(Support.quantization(type, q), Quantizing.Rule.PRODUCT_HALF_EVEN),
                    Support.like(t, type, q),
                    t);
        });
        r.add("aten::dequantize", (lowered, node, a) -> {
            Tensor t = Support.bytes(a, 0);
            return lowered.compute(new DequantizeOp(), Support.like(t, DType.FLOAT32, null), t);
        });
    }
}
