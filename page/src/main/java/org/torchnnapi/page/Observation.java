package org.torchnnapi.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** What the operators of one run took and gave, called one by one in the order of the run. */
final class Observation implements OperatorHook {
    /** Calls that are kept; a model that loops longer is shown by its first. */
    private static final int MOST_CALLS = 200_000;

    private static final int SHOWN = 8;

    /**
     * One call of an operator. Types are texts such as {@code float32[1, 8]}; values that are no tensors are left out.
     */
    record Call(Node node, List<String> inputs, List<String> outputs, long nanos) {}

    final List<Call> calls = new ArrayList<>();

    private Observation() {}

    /** Runs a method twice, of which the second counts. */
    static List<Call> of(ScriptModule module, String method, List<?> inputs) {
        Function function = module.method(method);
        List<Object> all = new ArrayList<>();
        all.add(module.object());
        all.addAll(inputs);
        Observation observation = new Observation();
        for (int i = 0; i < 2; i++) {
            observation.calls.clear();
            module.interpreter().run(function, Interpreter.fit(function, all, Map.of()), observation);
        }
        return observation.calls;
    }

    @Override
    public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
        if (calls.size() >= MOST_CALLS) {
            return kernel.call(arguments);
        }
        List<String> inputs = types(arguments);
        long start = System.nanoTime();
        Object result = kernel.call(arguments);
        long nanos = System.nanoTime() - start;
        calls.add(new Call(
                node, inputs, types(result instanceof Object[] several ? several : new Object[] {result}), nanos));
        return result;
    }

    private static List<String> types(Object[] values) {
        List<String> types = new ArrayList<>();
        collect(Arrays.asList(values), types);
        return types;
    }

    private static void collect(List<?> values, List<String> types) {
        for (Object value : values) {
            if (types.size() >= SHOWN) {
                return;
            }
            if (value instanceof Tensor tensor) {
                types.add(WeightFacts.type(tensor));
            } else if (value instanceof ScriptList list) {
                collect(list.items(), types);
            } else if (value instanceof ScriptTuple tuple) {
                collect(tuple.items(), types);
            }
        }
    }

    @Override
    public void made(Node node, Object value) {
        // Lists and tuples are not drawn.
    }

    @Override
    public void read(ScriptObject object, int slot, Object value) {
        // Attributes are known from the module.
    }

    @Override
    public void acts(Node node) {
        // What lasts may happen: this is a run like any other.
    }
}
