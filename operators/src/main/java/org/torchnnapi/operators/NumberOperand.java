package org.torchnnapi.operators;

import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * A constant tensor without dimensions as second operand counts as a number, which then has no say in the dtype of the
 * result: PyTorch's executor rewrites it so (pass CanonicalizeOps). Its lite interpreter does not, which runs byte code
 * as it stands.
 */
public final class NumberOperand {
    private NumberOperand() {}

    /** The number, a Double or a Long, that the second operand of a node counts as, or null. */
    public static Number of(Node node) {
        return Literals.numberOperand(node);
    }

    /** The form of a node's operator that takes a number as second operand; null if there is none. */
    public static Operator operator(Node node, Iterable<Operator> overloads) {
        for (Operator operator : overloads) {
            if (operator.schema().overload().equals("Scalar")
                    && operator.schema().arguments().size() == node.inputs().size()) {
                return operator;
            }
        }
        return null;
    }
}
