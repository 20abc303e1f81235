package org.torchnnapi.converter.compat;

import java.util.Optional;
import java.util.Set;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomClasses;

/**
 * Evaluates nodes that became known with the shapes of the inputs: the number of dimensions a module checks for, sizes
 * it computes with.
 */
final class KnownValues {
    private static final ScriptRuntime RUNTIME = ScriptRuntime.standard(CustomClasses.NONE);
    private static final Set<String> CONTAINERS =
            Set.of("prim::ListConstruct", "prim::TupleConstruct", "prim::Constant");

    private KnownValues() {}

    /** @return whether the node was evaluated; its result is then a constant */
    static boolean evaluate(Node node, CompatLoweringContext context) {
        FunctionSchema schema = node.schema();
        if (schema == null
                || schema.isMutating()
                || node.outputs().size() != 1
                || node.inputs().isEmpty()
                || CONTAINERS.contains(node.kind())) {
            return false;
        }
        Object[] arguments = new Object[node.inputs().size()];
        for (int i = 0; i < arguments.length; i++) {
            Value input = node.input(i);
            if (!context.isConstant(input)) {
                return false;
            }
            arguments[i] = context.constant(input);
        }
        Optional<Operator> operator = RUNTIME.operators().apply(schema.name()).stream()
                .filter(o -> o.schema().overload().equals(schema.overload())
                        && o.schema().arguments().size() == arguments.length)
                .findFirst();
        if (!operator.isPresent()) {
            return false;
        }
        try {
            context.defineConstant(node.output(), operator.get().kernel().call(arguments));
            return true;
        } catch (RuntimeException notKnown) {
            // A size that is only known at run, or a value the operator refuses; the lowering then says what is wrong.
            return false;
        }
    }
}
