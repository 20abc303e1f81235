package org.torchnnapi.exported.lowering;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Operators by name and overload, called as parts of what a node does. */
final class OperatorCalls {
    private OperatorCalls() {}

    static Operator operator(String fullName) {
        int dot = fullName.indexOf('.');
        String kind = dot < 0 ? fullName : fullName.substring(0, dot);
        for (Operator operator : OperatorRegistry.withBuiltins().overloads(kind)) {
            if (operator.schema().fullName().equals(fullName)) {
                return operator;
            }
        }
        throw new IllegalStateException(fullName + " (expected: an operator of the registry)");
    }

    /** The operator of a node that is made of others; null where it is not. */
    static Operator composite(Node node) {
        if (!OperatorTrait.COMPOSITE.of(node) && !OperatorTrait.ONLY_COMPOSITE.of(node)) {
            return null;
        }
        for (Operator operator : OperatorRegistry.withBuiltins().overloads(node.kind())) {
            if (operator.schema().equals(node.schema())) {
                return operator.decomposition() == null ? null : operator;
            }
        }
        return null;
    }

    /** Calls and records an operator; what is left out has its default. */
    static Object run(ProgramRecorder recorder, Node at, String fullName, Object... given) {
        Operator operator = operator(fullName);
        List<FunctionSchema.Argument> formals = operator.schema().arguments();
        Object[] all = Arrays.copyOf(given, formals.size());
        for (int i = given.length; i < all.length; i++) {
            all[i] = formals.get(i).defaultValue();
        }
        return recorder.run(at, operator, all);
    }
}
