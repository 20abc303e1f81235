package org.torchnnapi.converter.partial;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.operators.Composite;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Tensors of bytes whose scale is chosen by their largest and smallest elements, and so is another one in each run:
 * where they are made real numbers again, those are computed from the real numbers, rounded to the same quanta.
 * Whatever else reads the bytes stays TorchScript.
 */
final class DynamicQuanta {
    /**
     * The quanta that PyTorch chooses: 255 from end to end, zero among them, and none too small; QNNPACK needs no
     * smaller range. As in PyTorch elements are multiplied by a quantum's inverse: a quotient may be half way between
     * two quanta where their product is not.
     */
    private static final Function ROUNDED =
            new Composite("quanta::rounded(Tensor self) -> Tensor", """
        least = torch.clamp_max(torch.min(self), 0)
        quantum = torch.div(torch.sub(torch.clamp_min(torch.max(self), 0), least), 255.)
        below = torch.round(torch.div(torch.neg(least), torch.clamp_min(quantum, 1e-30)))
        scale = torch.clamp_min(quantum, 6.1e-05)
        counted = torch.clamp(torch.add(torch.round(torch.mul(self, torch.reciprocal(scale))), below), 0, 255)
        return torch.mul(torch.sub(counted, below), scale)""", null).function();

    private final AbstractInterpreter interpreter;
    /** Real numbers, by what was quantized. */
    private final Map<Value, AbstractValue> reals = new IdentityHashMap<>();

    DynamicQuanta(AbstractInterpreter interpreter) {
        this.interpreter = interpreter;
    }

    /** @return whether the node quantizes so, or makes such a tensor real numbers again */
    boolean visit(Node node, List<AbstractValue> inputs) {
        if (QuantizeOperators.isDequantize(node)
                && inputs.get(0) instanceof Open open
                && reals.containsKey(open.value())) {
            interpreter.define(node.output(), reals.get(open.value()));
            return true;
        }
        if (!node.is("aten::quantize_per_tensor_dynamic") || !(inputs.get(0) instanceof Open)) {
            return false;
        }
        interpreter.residualize(node);
        if (AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor from && from.numel() > 0) {
            reals.put(
                    ((Open) interpreter.of(node.output())).value(),
                    interpreter.follow(ROUNDED.graph(), List.of(inputs.get(0))).get(0));
        }
        return true;
    }
}
