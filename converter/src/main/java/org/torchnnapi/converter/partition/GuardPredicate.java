package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Finds, when a model runs, whether arguments are like an example of them, as far as what was converted for the example
 * hangs on it: tensors of the same sizes, None where the example has None, containers of as many items, dicts of the
 * same keys. Numbers and texts may be any.
 */
final class GuardPredicate {
    private final Graph graph;

    GuardPredicate(Graph graph) {
        this.graph = graph;
    }

    private record Pair(Value value, Object example) {}

    /**
     * @param block receives the nodes
     * @param example one an argument; the last may be missing, which then are None or have their default values
     * @return a truth value
     */
    Value of(Block block, List<Value> arguments, List<?> example) {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            if (i < example.size() || arguments.get(i).type() instanceof Type.OptionalType) {
                pairs.add(new Pair(arguments.get(i), i < example.size() ? example.get(i) : null));
            }
        }
        return fits(block, pairs);
    }

    private Value fits(Block block, List<Pair> pairs) {
        if (pairs.isEmpty()) {
            return constant(block, true, Type.Basic.BOOL);
        }
        Value value = pairs.get(0).value();
        Object example = pairs.get(0).example();
        List<Pair> rest = pairs.subList(1, pairs.size());
        if (value.type() instanceof Type.OptionalType optional) {
            Value none = constant(block, null, Type.Basic.NONE);
            if (example == null) {
                return both(block, call(block, "aten::__is__", Type.Basic.BOOL, value, none), rest, inner -> List.of());
            }
            return both(block, call(block, "aten::__isnot__", Type.Basic.BOOL, value, none), rest, inner -> {
                Node cast = graph.create(Prim.UNCHECKED_CAST).addInput(value);
                inner.append(cast);
                return List.of(new Pair(cast.addOutput(optional.element()), example));
            });
        }
        if (example instanceof Tensor tensor && value.type() == Type.Basic.TENSOR) {
            Value size = call(block, "aten::size", Type.list(Type.Basic.INT), value);
            Value wanted = constant(
                    block,
                    ScriptList.ofInts(
                            Arrays.stream(tensor.sizes()).asLongStream().toArray()),
                    Type.list(Type.Basic.INT));
            return both(
                    block, call(block, "aten::eq.int_list", Type.Basic.BOOL, size, wanted), rest, inner -> List.of());
        }
        if (example instanceof ScriptTuple tuple && value.type() instanceof Type.TupleType type) {
            Node unpack = graph.create(Prim.TUPLE_UNPACK).addInput(value);
            block.append(unpack);
            List<Pair> all = new ArrayList<>();
            for (int i = 0; i < tuple.items().size(); i++) {
                all.add(new Pair(
                        unpack.addOutput(type.elements().get(i)), tuple.items().get(i)));
            }
            all.addAll(rest);
            return fits(block, all);
        }
        if (example instanceof ScriptList list
                && value.type() instanceof Type.ListType type
                && !(type.element() instanceof Type.Basic basic && basic != Type.Basic.TENSOR)) {
            return both(block, counts(block, "aten::len.t", value, list.items().size()), rest, inner -> {
                List<Pair> items = new ArrayList<>();
                for (int i = 0; i < list.items().size(); i++) {
                    items.add(new Pair(
                            call(
                                    inner,
                                    "aten::__getitem__.t",
                                    type.element(),
                                    value,
                                    constant(inner, (long) i, Type.Basic.INT)),
                            list.items().get(i)));
                }
                return items;
            });
        }
        String key = example instanceof ScriptDict && value.type() instanceof Type.DictType type
                ? type.key() == Type.Basic.STRING ? "str" : type.key() == Type.Basic.INT ? "int" : null
                : null;
        return key == null ? fits(block, rest) : dict(block, value, (ScriptDict) example, key, rest);
    }

    private Value dict(Block block, Value value, ScriptDict example, String key, List<Pair> rest) {
        Type.DictType type = (Type.DictType) value.type();
        Value alike =
                counts(block, "aten::len.Dict_" + key, value, example.items().size());
        for (Object name : example.items().keySet()) {
            Value has =
                    call(block, "aten::__contains__." + key, Type.Basic.BOOL, value, constant(block, name, type.key()));
            alike = call(block, "aten::__and__.bool", Type.Basic.BOOL, alike, has);
        }
        return both(block, alike, rest, inner -> {
            List<Pair> items = new ArrayList<>();
            example.items()
                    .forEach((name, item) -> items.add(new Pair(
                            call(
                                    inner,
                                    "aten::__getitem__.Dict_" + key,
                                    type.value(),
                                    value,
                                    constant(inner, name, type.key())),
                            item)));
            return items;
        });
    }

    private Value counts(Block block, String length, Value value, int wanted) {
        return call(
                block,
                "aten::eq.int",
                Type.Basic.BOOL,
                call(block, length, Type.Basic.INT, value),
                constant(block, (long) wanted, Type.Basic.INT));
    }

    /**
     * Whether a condition holds, and then the rest fits; {@code items} gives what is looked at before the rest, and is
     * there where the condition holds alone.
     */
    private Value both(Block block, Value condition, List<Pair> rest, Function<Block, List<Pair>> items) {
        Node branch = graph.create(Prim.IF);
        Block yes = branch.addBlock();
        List<Pair> all = new ArrayList<>(items.apply(yes));
        all.addAll(rest);
        if (all.isEmpty()) {
            return condition;
        }
        block.append(branch.addInput(condition));
        yes.addResult(fits(yes, all));
        Block no = branch.addBlock();
        no.addResult(constant(no, false, Type.Basic.BOOL));
        return branch.addOutput(Type.Basic.BOOL);
    }

    private Value constant(Block block, Object value, Type type) {
        Node node = graph.constant(value, type);
        block.append(node);
        return node.output();
    }

    private Value call(Block block, String fullName, Type type, Value... inputs) {
        Node node = GraphCalls.node(graph, fullName, inputs);
        block.append(node);
        return node.addOutput(type);
    }
}
