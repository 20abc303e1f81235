package org.torchnnapi.quantizer;

import java.util.List;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.operators.passes.QuantizedForms;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.CustomObject;

/** PyTorch's operators, called on values. */
final class Operators {
    private static final OperatorRegistry ALL = OperatorRegistry.withBuiltins();

    private Operators() {}

    static Object call(String fullName, Object... arguments) {
        return ALL.find(fullName).kernel().call(arguments);
    }

    /** As signed bytes, which weights are. */
    static Tensor quantize(Tensor real, Quantization quantization) {
        return quantize(real, quantization, DType.QINT8);
    }

    static Tensor quantize(Tensor real, Quantization quantization, DType dtype) {
        long type = dtype.code();
        if (quantization instanceof Quantization.PerTensor q) {
            return (Tensor) call(QuantizeOperators.QUANTIZE, real, q.scale(), (long) q.zeroPoint(), type);
        }
        Quantization.PerChannel q = (Quantization.PerChannel) quantization;
        int channels = q.scales().length;
        return (Tensor) call(
                "aten::quantize_per_channel",
                real,
                Tensor.of(DType.FLOAT64, q.scales().clone(), channels),
                Tensor.of(new long[channels], channels),
                (long) q.axis(),
                type);
    }

    static Tensor dequantize(Tensor tensor) {
        return tensor.dtype().isQuantized() ? (Tensor) call(QuantizeOperators.DEQUANTIZE + ".self", tensor) : tensor;
    }

    /** Of an operator whose results have one quantization whatever it is given. */
    static double resultScale(String kind) {
        Tensor any = quantize(Tensor.zeros(DType.FLOAT32, 1), new Quantization.PerTensor(1, 0), DType.QUINT8);
        return ((Quantization.PerTensor) ((Tensor) call(kind, any)).quantization()).scale();
    }

    /** A linear layer's packed weight and bias. */
    static CustomObject linear(Tensor weight, Tensor bias) {
        return QuantizedForms.packed("quantized::linear", weight, bias, List.of(), 1);
    }
}
