package org.torchnnapi.operators.passes;

import java.util.List;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/** Operators by their full names, {@code aten::add.Tensor}: called on values, or as nodes. */
final class OperatorNodes {
    private static final OperatorRegistry ALL = OperatorRegistry.withBuiltins();

    private OperatorNodes() {}

    private static Operator operator(String fullName) {
        Operator operator = ALL.find(fullName);
        if (operator == null) {
            throw new IllegalStateException(fullName + " (expected: an operator this runtime has)");
        }
        return operator;
    }

    static Object call(String fullName, Object... arguments) {
        return operator(fullName).kernel().call(arguments);
    }

    /** A constant before a node, with its place. */
    static Value constant(Node before, Object value) {
        Node constant = before.graph().constant(value, RuntimeTypes.of(value)).range(before.range());
        before.owner().insertBefore(before, constant);
        return constant.output();
    }

    /** A free node that gives a tensor, with the place of another. */
    static Node of(Graph graph, String fullName, Node like, List<Value> inputs) {
        int dot = fullName.indexOf('.');
        return graph.create(dot < 0 ? fullName : fullName.substring(0, dot), inputs, Type.Basic.TENSOR)
                .schema(operator(fullName).schema())
                .range(like.range());
    }
}
