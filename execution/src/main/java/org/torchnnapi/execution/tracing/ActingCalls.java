package org.torchnnapi.execution.tracing;

import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Calls whose effect or result is not a matter of their arguments alone. */
final class ActingCalls {
    private ActingCalls() {}

    /** Whether a call cannot be left out or put off, nor its result be taken for that of the next call. */
    static boolean acts(Node node, Object[] args) {
        return OperatorTrait.ACTING.of(node)
                || OperatorTrait.RANDOM.of(node)
                || OperatorTrait.TRAINS.of(node) && trains(node.schema(), args);
    }

    private static boolean trains(FunctionSchema schema, Object[] args) {
        int dropout = schema.indexOf("dropout_p");
        if (dropout >= 0) {
            return !(args[dropout] instanceof Number p && p.doubleValue() == 0);
        }
        int probability = schema.indexOf("p");
        if (probability >= 0 && args[probability] instanceof Number p && p.doubleValue() == 0) {
            return false;
        }
        for (String name : new String[] {"train", "training"}) {
            int index = schema.indexOf(name);
            if (index >= 0) {
                return !Boolean.FALSE.equals(args[index]);
            }
        }
        int statistics = schema.indexOf("use_input_stats");
        return statistics >= 0
                && !Boolean.FALSE.equals(args[statistics])
                && args[schema.indexOf("running_mean")] != null;
    }
}
