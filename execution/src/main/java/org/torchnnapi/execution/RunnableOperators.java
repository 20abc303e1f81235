package org.torchnnapi.execution;

import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.operators.OperatorRegistry;

/** Which operators run, by the names that files call them by. */
public final class RunnableOperators {
    private RunnableOperators() {}

    /**
     * Whether calls run, forms that follow by rule and what the interpreter does by itself included.
     *
     * @param fullName with the overload's name, for example {@code aten::add.Tensor}
     */
    public static boolean includes(String fullName) {
        int dot = fullName.indexOf('.');
        String kind = dot < 0 ? fullName : fullName.substring(0, dot);
        OperatorRegistry operators = OperatorRegistry.withBuiltins();
        return operators.find(fullName) != null
                || operators.derived(kind, dot < 0 ? "" : fullName.substring(dot + 1), -1) != null
                || Interpreter.hasNode(kind);
    }
}
