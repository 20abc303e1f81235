package org.torchnnapi.operators.passes;

import org.torchnnapi.operators.NumberOperand;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.passes.EachNode;

/**
 * What counts as a {@linkplain NumberOperand number} becomes one. Tracing leaves tensors of float64 wherever Python had
 * a number.
 */
final class ConstantOperands {
    private ConstantOperands() {}

    /** @return whether anything changed */
    static boolean run(Graph graph) {
        return EachNode.over(graph, ConstantOperands::replace);
    }

    private static boolean replace(Node node) {
        Number number =
                node.inputs().size() < 2 || node.input(1).type() != Type.Basic.TENSOR ? null : NumberOperand.of(node);
        Operator operator = number == null
                ? null
                : NumberOperand.operator(node, OperatorRegistry.standard().overloads(node.kind()));
        if (operator == null) {
            return false;
        }
        Node literal = node.graph()
                .constant(number, number instanceof Double ? Type.Basic.FLOAT : Type.Basic.INT)
                .range(node.range());
        node.owner().insertBefore(node, literal);
        node.setInput(1, literal.output());
        node.schema(operator.schema());
        return true;
    }
}
