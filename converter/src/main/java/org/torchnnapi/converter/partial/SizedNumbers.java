package org.torchnnapi.converter.partial;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Numbers in tensors that follow from open sizes, as traced models compute with. What makes such a tensor stays a node,
 * as the tensor is another one for each size; a number that is read out of it is known as any other that follows from
 * the sizes.
 */
final class SizedNumbers {
    /** Elements of larger tensors are not followed. */
    private static final int MOST_ELEMENTS = 16;

    private final AbstractInterpreter interpreter;
    private final Map<Value, Tensor> tensors = new IdentityHashMap<>();

    SizedNumbers(AbstractInterpreter interpreter) {
        this.interpreter = interpreter;
    }

    /**
     * Follows a node that makes or takes such tensors.
     *
     * @return whether it only reads numbers out of them, and stays no node
     */
    boolean answers(Node node, List<AbstractValue> inputs, Operator operator) {
        boolean follows = node.attribute(Node.STAYS) != null
                || !tensors.isEmpty() && node.inputs().stream().anyMatch(tensors::containsKey);
        if (!follows || node.schema().isMutating() || Effects.hasSideEffects(node) || Effects.isRandom(node)) {
            return false;
        }
        Object[] arguments = new Object[inputs.size()];
        for (int i = 0; i < arguments.length; i++) {
            Tensor sized = tensors.get(node.input(i));
            if (sized == null && !(inputs.get(i) instanceof Known)) {
                return false;
            }
            arguments[i] = sized != null ? sized : ((Known) inputs.get(i)).value();
            if (arguments[i] instanceof Tensor tensor && tensor.numel() > MOST_ELEMENTS) {
                return false;
            }
        }
        if (node.outputs().size() != 1) {
            return false;
        }
        Object result = operator.kernel().call(arguments);
        if (result instanceof Tensor tensor && tensor.numel() <= MOST_ELEMENTS) {
            tensors.put(node.output(), tensor);
        }
        boolean isNumber = result instanceof Long || result instanceof Double || result instanceof Boolean;
        if (isNumber) {
            Known number = new Known(result);
            interpreter.decisions().read(number);
            interpreter.define(node.output(), number);
        }
        return isNumber;
    }
}
