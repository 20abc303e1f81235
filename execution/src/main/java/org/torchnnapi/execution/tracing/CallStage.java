package org.torchnnapi.execution.tracing;

import java.util.List;
import org.torchnnapi.execution.interp.NodeCall;
import org.torchnnapi.execution.tracing.Recording.Call;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * An operator on its kernel, with its results' types checked.
 *
 * @param of the method's call that it is of
 */
record CallStage(Call call, NodeCall of) implements CompiledStages.Stage {
    @Override
    public void run(Tensor[] values, Workspaces.Held workspace) {
        Object[] arguments = (Object[]) NestedValues.map(
                call.arguments(),
                leaf -> leaf instanceof Placed placed ? placed.geometry().place(values[placed.value()], false) : leaf);
        accept(call.results(), call.kernel().call(arguments), values);
    }

    private void accept(Object expected, Object result, Tensor[] values) {
        if (expected instanceof Placed placed) {
            if (!(result instanceof Tensor t) || !placed.geometry().fits(t)) {
                throw new ResultMismatchException(call);
            }
            values[placed.value()] = t;
        } else if (expected instanceof Object[] several) {
            Object[] results = (Object[]) result;
            for (int i = 0; i < several.length; i++) {
                accept(several[i], results[i], values);
            }
        } else if (expected instanceof ScriptList list) {
            accept(list.items(), result instanceof ScriptList r ? r.items() : List.of(), values);
        } else if (expected instanceof ScriptTuple tuple) {
            accept(tuple.items(), result instanceof ScriptTuple r ? r.items() : List.of(), values);
        } else if (result != null) {
            throw new ResultMismatchException(call);
        }
    }

    private void accept(List<Object> expected, List<Object> results, Tensor[] values) {
        if (results.size() != expected.size()) {
            throw new ResultMismatchException(call);
        }
        for (int i = 0; i < results.size(); i++) {
            accept(expected.get(i), results.get(i), values);
        }
    }

    @Override
    public List<String> describe() {
        return List.of("call " + call.node().kind());
    }
}
