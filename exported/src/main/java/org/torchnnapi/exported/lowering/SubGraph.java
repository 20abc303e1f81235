package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** A graph that a call takes: a way of a branch, the condition or the body of a loop. */
final class SubGraph {
    private final String kind;
    private final List<GraphTensor> carried;
    private final Map<GraphTensor, GraphTensor> operands;
    private final List<RecordedCall> calls;
    private final List<GraphTensor> results;
    private final boolean single;
    private final Map<String, String> classNames;
    private String label;

    /**
     * @param kind what it is called, but for a number
     * @param carried its first arguments
     * @param operands the graph's own tensors in the place of tensors outside; they are arguments behind the carried
     *     ones, in order, and may become more until the program is written
     * @param single whether it gives a tensor, and no tuple of one
     * @param classNames of modules by path
     */
    SubGraph(
            String kind,
            List<GraphTensor> carried,
            Map<GraphTensor, GraphTensor> operands,
            List<RecordedCall> calls,
            List<GraphTensor> results,
            boolean single,
            Map<String, String> classNames) {
        this.kind = kind;
        this.carried = carried;
        this.operands = operands;
        this.calls = used(calls, results);
        this.results = results;
        this.single = single;
        this.classNames = classNames;
    }

    /** The calls that results follow from, and those that do something beside their results. */
    static List<RecordedCall> used(List<RecordedCall> all, List<?> results) {
        Set<Object> needed = Collections.newSetFromMap(new IdentityHashMap<>());
        needed.addAll(results);
        List<RecordedCall> kept = new ArrayList<>();
        for (int i = all.size() - 1; i >= 0; i--) {
            RecordedCall call = all.get(i);
            boolean[] used = {call.lasts() || call.number() != null && needed.contains(call.number())};
            call.eachResult(result -> used[0] |= needed.contains(result));
            if (used[0]) {
                kept.add(call);
                call.eachArgument(needed::add);
                call.eachNumber(needed::add);
            }
        }
        Collections.reverse(kept);
        return kept;
    }

    List<RecordedCall> calls() {
        return calls;
    }

    /** Visits its own tensors in the place of what it is given. */
    void eachInput(Consumer<GraphTensor> visitor) {
        carried.forEach(visitor);
        operands.values().forEach(visitor);
    }

    String kind() {
        return kind;
    }

    /**
     * Names what is in it, where tensors outside have their names.
     *
     * @param given to the graph, which no other one beside it has
     */
    void name(String given) {
        label = given;
        GraphNames names = new GraphNames();
        operands.forEach((outside, own) -> own.name(names.unused(outside.name() == null ? "operand" : outside.name())));
        carried.forEach(tensor -> tensor.name(names.unused("carried")));
        names.name(calls);
    }

    Map<String, Object> json() {
        List<Object> inputs = new ArrayList<>();
        Map<String, Object> tensors = new LinkedHashMap<>();
        List<GraphTensor> arguments = new ArrayList<>(carried);
        arguments.addAll(operands.values());
        for (GraphTensor argument : arguments) {
            inputs.add(argument.argument());
            tensors.put(argument.name(), argument.meta());
        }
        List<Object> outputs = new ArrayList<>();
        results.forEach(result -> outputs.add(result.argument()));
        return JsonText.object("name", label, "graph", json(inputs, calls, outputs, tensors, single, classNames));
    }

    /** A graph, whose tensors its calls' results are added to. */
    static Map<String, Object> json(
            List<Object> inputs,
            List<RecordedCall> calls,
            List<Object> outputs,
            Map<String, Object> tensors,
            boolean single,
            Map<String, String> classNames) {
        List<Object> nodes = new ArrayList<>();
        Map<String, Object> wholeNumbers = new LinkedHashMap<>();
        Map<String, Object> realNumbers = new LinkedHashMap<>();
        for (RecordedCall call : calls) {
            call.eachResult(tensor -> tensors.put(tensor.name(), tensor.meta()));
            GraphNumber number = call.number();
            if (number != null) {
                (number.real() == null ? wholeNumbers : realNumbers).put(number.name(), number.value());
            }
            nodes.add(call.json(classNames));
        }
        return JsonText.object(
                "inputs",
                inputs,
                "outputs",
                outputs,
                "nodes",
                nodes,
                "tensor_values",
                tensors,
                "sym_int_values",
                wholeNumbers,
                "sym_bool_values",
                JsonText.object(),
                "is_single_tensor_return",
                single,
                "custom_obj_values",
                JsonText.object(),
                "sym_float_values",
                realNumbers);
    }
}
