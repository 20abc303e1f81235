package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Which arguments a call of an operator must give: not the last ones that are what they are by default, whatever
 * release an operator got them in; tensors that take results stand behind those, and are given always.
 */
public final class NecessaryArguments {
    private NecessaryArguments() {}

    /** Indices of inputs of a node with a schema, in their order. */
    public static List<Integer> of(Node node) {
        List<FunctionSchema.Argument> formals = node.schema().arguments();
        int size = node.inputs().size();
        int outs = 0;
        while (outs < formals.size() && isOut(formals.get(formals.size() - 1 - outs))) {
            outs++;
        }
        int needed = size > formals.size() ? size : formals.size() - outs;
        while (needed > 0 && needed <= formals.size() && isDefault(node.input(needed - 1), formals.get(needed - 1))) {
            needed--;
        }
        List<Integer> given = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            if (i < needed || i >= formals.size() - outs && i < formals.size()) {
                given.add(i);
            }
        }
        return given;
    }

    private static boolean isOut(FunctionSchema.Argument argument) {
        return argument.keywordOnly() && argument.mutated();
    }

    private static boolean isDefault(Value value, FunctionSchema.Argument formal) {
        return formal.hasDefault()
                && value.definition() != null
                && value.definition().is(Prim.CONSTANT)
                && isEqual(value.definition().attribute("value"), formal.defaultValue());
    }

    private static boolean isEqual(Object a, Object b) {
        if (a instanceof ScriptList x && b instanceof ScriptList y) {
            return x.items().equals(y.items());
        }
        return Objects.equals(a, b);
    }
}
