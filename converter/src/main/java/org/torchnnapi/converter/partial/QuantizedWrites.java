package org.torchnnapi.converter.partial;

import java.util.List;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.operators.Composite;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;

/**
 * What is written into quantized tensors with one scale. PyTorch quantizes real numbers that are copied there,
 * {@code y[0] = x}, with the scale and zero point of the tensor that is written to: functional form has a conversion to
 * that tensor's type there, which no operator of PyTorch makes, so that models themselves cannot ask for it. Bytes of
 * another scale it puts there as they are: these are other numbers, whose quanta in the new scale are the same bytes.
 */
final class QuantizedWrites {
    private static final Function QUANTIZED = new Composite(
                    "quanta::quantized(Tensor self, float scale, int zero_point, int dtype) -> Tensor",
                    "return torch.quantize_per_tensor(self, scale, zero_point, dtype)",
                    null)
            .function();
    private static final Function RELABELED = new Composite(
                    "quanta::relabeled(Tensor self, float scale, int zero_point, int dtype) -> Tensor",
                    "x = torch.mul(torch.sub(torch.to(torch.int_repr(self), 6), zero_point), scale)\n"
                            + "return torch.quantize_per_tensor(x, scale, zero_point, dtype)",
                    null)
            .function();

    private final AbstractInterpreter interpreter;
    private final OperatorEvaluator operators;

    QuantizedWrites(AbstractInterpreter interpreter, OperatorEvaluator operators) {
        this.interpreter = interpreter;
        this.operators = operators;
    }

    /** @return whether the node is such a write, of what is not as the tensor is */
    boolean visit(Node node, List<AbstractValue> inputs) {
        boolean converts = node.is("aten::type_as");
        int source = node.is("aten::index_put") ? 2 : converts ? 0 : 1;
        if (!converts && source == 1 && !node.kind().endsWith("_scatter")
                || !(AbstractInterpreter.sample(inputs.get(source)) instanceof Tensor from)
                || !(AbstractInterpreter.sample(inputs.get(converts ? 1 : 0)) instanceof Tensor to)
                || !(to.quantization() instanceof Quantization.PerTensor quanta)
                || quanta.equals(from.quantization())
                || from.dtype().isQuantized() && (converts || from.dtype() != to.dtype())) {
            return false;
        }
        Function made = from.dtype().isQuantized() ? RELABELED : QUANTIZED;
        AbstractValue fitting = interpreter
                .follow(
                        made.graph(),
                        List.of(
                                inputs.get(source),
                                new Known(quanta.scale()),
                                new Known((long) quanta.zeroPoint()),
                                new Known((long) to.dtype().code())))
                .get(0);
        if (converts) {
            interpreter.define(node.output(), fitting);
        } else {
            operators.residualize(node, inputs, source, fitting);
        }
        return true;
    }
}
