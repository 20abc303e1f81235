package org.torchnnapi.operators.passes;

import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Constant tensors without dimensions as second operands become numbers, as in PyTorch's executor (pass CanonicalizeOps): they
 * then have no say in the dtype of the result. Tracing leaves such tensors of float64 wherever Python had a number.
 */
final class ConstantOperands {
    private ConstantOperands() {
    }

    /** @return whether anything changed */
    static boolean run(Graph graph) {
        return EachNode.over(graph, ConstantOperands::replace);
    }

    private static boolean replace(Node node) {
        boolean takesNumbers = OperatorTrait.TAKES_NUMBERS.of(node) && node.schema().overload().equals("Tensor") && !node.schema().isMutating();
        if (!takesNumbers || node.input(1).type() != Type.Basic.TENSOR || !Literals.of(node.input(1)).isPresent()
            || !(Literals.of(node.input(1)).get().value() instanceof Tensor tensor) || tensor.rank() != 0 || tensor.dtype().isComplex() || tensor.dtype().isQuantized()) {
            return false;
        }
        Object number = tensor.dtype().isFloating() ? (Object) tensor.getDouble(0) : (Object) tensor.getLong(0);
        for (Operator operator : OperatorRegistry.standard().overloads(node.kind())) {
            if (operator.schema().overload().equals("Scalar") && operator.schema().arguments().size() == node.inputs().size()) {
                Node literal = node.graph().constant(number, number instanceof Double ? Type.Basic.FLOAT : Type.Basic.INT).range(node.range());
                node.owner().insertBefore(node, literal);
                node.setInput(1, literal.output());
                node.schema(operator.schema());
                return true;
            }
        }
        return false;
    }
}
