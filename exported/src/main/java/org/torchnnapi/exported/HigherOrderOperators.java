package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Operators that take graphs, as branches and loops, or as the graph's nodes where they only wrap it. */
final class HigherOrderOperators {
    private final GraphEmitter emitter;
    private final GraphImporter graphs;

    HigherOrderOperators(GraphEmitter emitter, GraphImporter graphs) {
        this.emitter = emitter;
        this.graphs = graphs;
    }

    /** The results of a node; its name is that behind {@code torch.ops.higher_order}. */
    List<Value> call(String name, Json node) {
        List<Json> inputs = new ArrayList<>();
        node.get("inputs").items().forEach(input -> inputs.add(input.get("arg")));
        return switch (name) {
            case "cond" -> branch(inputs);
            case "while_loop" -> whileLoop(inputs);
            case "map_impl" -> map(inputs);
            case "scan" -> scan(inputs);
            case "associative_scan" -> associativeScan(inputs);
            case "wrap_with_set_grad_enabled", "hints_wrapper" -> inlined(inputs);
            case "wrap_with_autocast" -> autocast(inputs);
            default -> throw refused(node, inputs);
        };
    }

    private static Json graph(List<Json> inputs, int index) {
        if (index >= inputs.size() || !inputs.get(index).has("as_graph")) {
            throw new ArchiveException(
                    (inputs.isEmpty() ? "operator" : inputs.get(0).place()) + ": no graph as argument " + index
                            + " (expected: one)");
        }
        return inputs.get(index).get("as_graph").get("graph");
    }

    /** The items of a list of values; none where it is left out. */
    private List<Value> values(List<Json> inputs, int index) {
        List<Value> values = new ArrayList<>();
        if (index >= inputs.size()) {
            return values;
        }
        Json.Tagged list = inputs.get(index).union();
        String one = switch (list.tag()) {
            case "as_tensors" -> "as_tensor";
            case "as_sym_ints" -> "as_sym_int";
            case "as_ints" -> "as_int";
            case "as_optional_tensors" -> null;
            default -> throw inputs.get(index).error("a list of values");
        };
        for (Json item : list.value().items()) {
            values.add(
                    one == null
                            ? graphs.arguments().value(item, null)
                            : graphs.arguments().item(one, item));
        }
        return values;
    }

    private List<Value> rest(List<Json> inputs, int from) {
        List<Value> values = new ArrayList<>();
        for (Json input : inputs.subList(Math.min(from, inputs.size()), inputs.size())) {
            values.add(graphs.arguments().value(input, null));
        }
        return values;
    }

    private static Json input(List<Json> inputs, int index) {
        if (index >= inputs.size()) {
            throw new ArchiveException((inputs.isEmpty()
                            ? "operator that takes graphs"
                            : inputs.get(0).place()) + ": " + inputs.size() + " arguments (expected: more than " + index
                    + ")");
        }
        return inputs.get(index);
    }

    /** The values that a loop carries on, which are of the number and types that it began with. */
    private static List<Value> carried(List<Value> next, List<Value> starts) {
        boolean fits = next.size() == starts.size();
        for (int i = 0; fits && i < next.size(); i++) {
            fits = next.get(i).type().equals(starts.get(i).type());
        }
        if (!fits) {
            throw new ArchiveException("loop: carries " + next.size() + " values on (expected: " + starts.size()
                    + ", of the types that it begins with)");
        }
        return next;
    }

    private List<Value> branch(List<Json> inputs) {
        Value condition = emitter.truth(graphs.arguments().value(input(inputs, 0), null));
        List<Value> operands = values(inputs, 3);
        return emitter.branch(
                condition,
                () -> graphs.graph(graph(inputs, 1), operands),
                () -> graphs.graph(graph(inputs, 2), operands));
    }

    private List<Value> whileLoop(List<Json> inputs) {
        List<Value> carried = values(inputs, 2);
        List<Value> additional = values(inputs, 3);
        Json condition = graph(inputs, 0);
        return loop(
                emitter.integer(Long.MAX_VALUE),
                holds(condition, carried, additional),
                carried,
                (index, variables) -> graphs.graph(graph(inputs, 1), joined(variables, additional)),
                next -> holds(condition, next, additional));
    }

    private Value holds(Json graph, List<Value> carried, List<Value> additional) {
        List<Value> results = graphs.graph(graph, joined(carried, additional));
        if (results.size() != 1) {
            throw graph.error("a graph with one output, the condition");
        }
        return emitter.truth(results.get(0));
    }

    private static List<Value> joined(List<Value> first, List<Value> second) {
        List<Value> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    /** Runs nodes as often as a number says, which are told the index. */
    void forEach(Value count, Consumer<Value> writer) {
        fold(count, List.of(), (index, none) -> {
            writer.accept(index);
            return List.of();
        });
    }

    /** One round of a loop: the next values of what it carries. */
    private interface Round {
        List<Value> next(Value index, List<Value> carried);
    }

    private List<Value> fold(Value count, List<Value> starts, Round round) {
        Value always = emitter.constant(true, Type.Basic.BOOL);
        return loop(count, always, starts, round, next -> always);
    }

    /**
     * A loop of rounds.
     *
     * @param count at most so many
     * @param first whether there is a first one
     * @param goesOn whether there is another after one that gave such values
     */
    private List<Value> loop(
            Value count, Value first, List<Value> starts, Round round, Function<List<Value>, Value> goesOn) {
        List<Value> inputs = new ArrayList<>();
        inputs.add(count);
        inputs.add(first);
        inputs.addAll(starts);
        Node loop = emitter.node(Prim.LOOP, inputs);
        Block body = loop.addBlock();
        Value index = body.addParameter(Type.Basic.INT, null);
        List<Value> variables = new ArrayList<>();
        starts.forEach(value -> variables.add(body.addParameter(value.type(), null)));
        emitter.inside(body, () -> {
            List<Value> next = round.next(index, variables);
            body.addResult(goesOn.apply(next));
            carried(next, starts).forEach(body::addResult);
        });
        List<Value> results = new ArrayList<>();
        starts.forEach(value -> results.add(loop.addOutput(value.type())));
        return results;
    }

    /** Adds an item to a list of tensors. */
    void append(Value list, Value item) {
        emitter.add(list, item);
    }

    private List<Value> items(List<Value> tensors, Value dimension, Value index) {
        List<Value> items = new ArrayList<>();
        tensors.forEach(tensor -> items.add(emitter.select(tensor, dimension, index)));
        return items;
    }

    private List<Value> lists(int count) {
        List<Value> lists = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lists.add(emitter.list(Type.Basic.TENSOR, List.of()));
        }
        return lists;
    }

    private List<Value> stacked(List<Value> lists, Value dimension) {
        List<Value> results = new ArrayList<>();
        lists.forEach(list -> results.add(emitter.stack(list, dimension)));
        return results;
    }

    /** How many items there are along a dimension of the first of some tensors. */
    private Value count(List<Value> tensors, Value dimension, Json place) {
        if (tensors.isEmpty()) {
            throw place.error("an operator over at least one tensor");
        }
        return emitter.size(tensors.get(0), dimension);
    }

    private static int outputs(Json graph) {
        return graph.get("outputs").items().size();
    }

    private List<Value> map(List<Json> inputs) {
        Json body = graph(inputs, 0);
        List<Value> mapped = values(inputs, 1);
        List<Value> additional = values(inputs, 2);
        Value zero = emitter.integer(0);
        Value count = count(mapped, zero, body);
        List<Value> lists = lists(outputs(body));
        forEach(count, index -> {
            List<Value> made = graphs.graph(body, joined(items(mapped, zero, index), additional));
            for (int i = 0; i < made.size(); i++) {
                append(lists.get(i), made.get(i));
            }
        });
        return stacked(lists, zero);
    }

    private List<Value> scan(List<Json> inputs) {
        Json combine = graph(inputs, 0);
        List<Value> starts = values(inputs, 1);
        List<Value> over = values(inputs, 2);
        // PyTorch 2.6 writes a dimension and whether the order is reversed before what is additional.
        boolean early = inputs.size() > 4;
        Value dimension = emitter.integer(early ? input(inputs, 3).get("as_int").integer() : 0);
        boolean reversed = early && input(inputs, 4).get("as_bool").flag();
        List<Value> additional = values(inputs, early ? 5 : 3);
        Value count = count(over, dimension, combine);
        if (outputs(combine) < starts.size()) {
            throw combine.get("outputs")
                    .error("at least " + starts.size() + " outputs, the values that are carried on");
        }
        List<Value> lists = lists(outputs(combine) - starts.size());
        List<Value> last = fold(count, starts, (index, carried) -> {
            Value at = reversed ? emitter.minus(emitter.minus(count, index), 1) : index;
            List<Value> made = graphs.graph(combine, joined(joined(carried, items(over, dimension, at)), additional));
            for (int i = 0; i < lists.size(); i++) {
                append(lists.get(i), made.get(starts.size() + i));
            }
            return made.subList(0, starts.size());
        });
        List<Value> results = new ArrayList<>(last);
        for (Value stacked : stacked(lists, dimension)) {
            results.add(
                    reversed
                            ? emitter.call("aten::flip", stacked, emitter.list(Type.Basic.INT, List.of(dimension)))
                            : stacked);
        }
        return results;
    }

    private List<Value> associativeScan(List<Json> inputs) {
        Json combine = graph(inputs, 0);
        List<Value> over = values(inputs, 1);
        boolean early = inputs.size() > 2 && inputs.get(2).has("as_int");
        Value dimension = emitter.integer(early ? inputs.get(2).get("as_int").integer() : 0);
        List<Value> additional = values(inputs, early ? 3 : 2);
        Value one = emitter.integer(1);
        Value count = emitter.minus(count(over, dimension, combine), one);
        List<Value> first = items(over, dimension, emitter.integer(0));
        List<Value> lists = lists(over.size());
        for (int i = 0; i < lists.size(); i++) {
            append(lists.get(i), first.get(i));
        }
        fold(count, first, (index, carried) -> {
            Value at = emitter.plus(index, one);
            List<Value> made = carried(
                    graphs.graph(combine, joined(joined(carried, items(over, dimension, at)), additional)), carried);
            for (int i = 0; i < lists.size(); i++) {
                append(lists.get(i), made.get(i));
            }
            return made;
        });
        return stacked(lists, dimension);
    }

    /** A graph that only is called under another setting, which means nothing here. */
    private List<Value> inlined(List<Json> inputs) {
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i).has("as_graph")) {
                return graphs.graph(graph(inputs, i), rest(inputs, i + 1));
            }
        }
        return graphs.graph(graph(inputs, 1), List.of());
    }

    private List<Value> autocast(List<Json> inputs) {
        boolean enabled = inputs.size() > 2
                && inputs.get(2).has("as_bool")
                && inputs.get(2).get("as_bool").flag();
        DType type = inputs.size() > 1 && inputs.get(1).has("as_scalar_type")
                ? ElementTypes.of(inputs.get(1).get("as_scalar_type"))
                : DType.BFLOAT16;
        return graphs.withCast(enabled ? type : null, graph(inputs, 4), rest(inputs, 5));
    }

    /** One that wraps an operator of a library of its own is named after that. */
    private static ArchiveException refused(Json node, List<Json> inputs) {
        for (Json input : inputs) {
            if (input.has("as_operator")) {
                return new ArchiveException(
                        input.place() + ": " + input.get("as_operator").text() + ", an operator of its own that has "
                                + "effects (expected: operators of PyTorch; write it in those before exporting)");
            }
        }
        return node.get("target")
                .error("cond, while_loop, map_impl, scan, associative_scan, wrap_with_set_grad_enabled, "
                        + "wrap_with_autocast or hints_wrapper; others hold code that is no graph");
    }
}
