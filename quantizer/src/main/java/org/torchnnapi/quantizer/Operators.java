package org.torchnnapi.quantizer;

import java.util.List;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptList;

/** PyTorch's operators, called on values or put into graphs. */
final class Operators {
    private static final OperatorRegistry ALL = OperatorRegistry.withBuiltins();

    private Operators() {}

    private static Operator overload(String kind, String overload) {
        String fullName = overload.isEmpty() ? kind : kind + "." + overload;
        Operator operator = ALL.find(fullName);
        if (operator == null) {
            throw new IllegalStateException(fullName + " (expected: an operator this runtime has)");
        }
        return operator;
    }

    static Object call(String kind, String overload, Object... arguments) {
        return overload(kind, overload).kernel().call(arguments);
    }

    /** A free node of one operator. */
    static Node node(Graph graph, String kind, String overload, Node like, List<Value> inputs, Type result) {
        return graph.create(kind, inputs, result)
                .schema(overload(kind, overload).schema())
                .range(like.range());
    }

    /** A constant before a node, of the type that a runtime value has. */
    static Value constant(Node before, Object value) {
        Node constant = before.graph()
                .constant(value, value == null ? Type.Basic.NONE : RuntimeTypes.of(value))
                .range(before.range());
        before.owner().insertBefore(before, constant);
        return constant.output();
    }

    /** As signed bytes, which weights are. */
    static Tensor quantize(Tensor real, Quantization quantization) {
        return quantize(real, quantization, DType.QINT8);
    }

    static Tensor quantize(Tensor real, Quantization quantization, DType dtype) {
        long type = dtype.code();
        if (quantization instanceof Quantization.PerTensor q) {
            return (Tensor) call(QuantizeOperators.QUANTIZE, "", real, q.scale(), (long) q.zeroPoint(), type);
        }
        Quantization.PerChannel q = (Quantization.PerChannel) quantization;
        int channels = q.scales().length;
        return (Tensor) call(
                "aten::quantize_per_channel",
                "",
                real,
                Tensor.of(DType.FLOAT64, q.scales().clone(), channels),
                Tensor.of(new long[channels], channels),
                (long) q.axis(),
                type);
    }

    static Tensor dequantize(Tensor tensor) {
        return tensor.dtype().isQuantized() ? (Tensor) call(QuantizeOperators.DEQUANTIZE, "self", tensor) : tensor;
    }

    /** A linear layer's packed weight and bias. */
    static CustomObject linear(Tensor weight, Tensor bias) {
        return (CustomObject) call("quantized::linear_prepack", "", weight, bias);
    }

    /** A convolution's. */
    static CustomObject convolution(Product product, Tensor weight, Tensor bias) {
        List<ScriptList> g = product.geometry();
        String kind = "quantized::" + product.kind().operator() + "_prepack";
        return (CustomObject)
                (product.kind().isTransposed()
                        ? call(kind, "", weight, bias, g.get(0), g.get(1), g.get(2), g.get(3), product.groups())
                        : call(kind, "", weight, bias, g.get(0), g.get(1), g.get(2), product.groups()));
    }
}
