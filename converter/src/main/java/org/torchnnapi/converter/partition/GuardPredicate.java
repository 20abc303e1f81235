package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.operators.NodeBuilder;
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
            return into(block).constant(true);
        }
        Value value = pairs.get(0).value();
        Object example = pairs.get(0).example();
        List<Pair> rest = pairs.subList(1, pairs.size());
        if (value.type() instanceof Type.OptionalType) {
            if (example == null) {
                return both(block, into(block).isNone(value), rest, inner -> List.of());
            }
            return both(block, into(block).isGiven(value), rest, inner -> {
                return List.of(new Pair(into(inner).given(value), example));
            });
        }
        if (example instanceof Tensor tensor && value.type() == Type.Basic.TENSOR) {
            return both(block, into(block).haveSizes(value, tensor.sizes()), rest, inner -> List.of());
        }
        if (example instanceof ScriptTuple tuple && value.type() instanceof Type.TupleType) {
            List<Value> items = into(block).unpack(value, tuple.size());
            List<Pair> all = new ArrayList<>();
            for (int i = 0; i < items.size(); i++) {
                all.add(new Pair(items.get(i), tuple.get(i)));
            }
            all.addAll(rest);
            return fits(block, all);
        }
        if (example instanceof ScriptList list
                && value.type() instanceof Type.ListType type
                && !(type.element() instanceof Type.Basic basic && basic != Type.Basic.TENSOR)) {
            return both(block, counts(block, value, list.items().size()), rest, inner -> {
                List<Pair> items = new ArrayList<>();
                for (int i = 0; i < list.items().size(); i++) {
                    items.add(new Pair(into(inner).item(value, i), list.items().get(i)));
                }
                return items;
            });
        }
        return example instanceof ScriptDict dict
                        && value.type() instanceof Type.DictType type
                        && (type.key() == Type.Basic.STRING || type.key() == Type.Basic.INT)
                ? dict(block, value, dict, rest)
                : fits(block, rest);
    }

    private Value dict(Block block, Value value, ScriptDict example, List<Pair> rest) {
        Value alike = counts(block, value, example.items().size());
        for (Object name : example.items().keySet()) {
            alike = into(block).and(alike, into(block).contains(value, name));
        }
        return both(block, alike, rest, inner -> {
            List<Pair> items = new ArrayList<>();
            example.items()
                    .forEach((name, item) -> items.add(new Pair(into(inner).item(value, name), item)));
            return items;
        });
    }

    private Value counts(Block block, Value value, int wanted) {
        return into(block).areEqual(into(block).length(value), wanted);
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
        no.addResult(into(no).constant(false));
        return branch.addOutput(Type.Basic.BOOL);
    }

    private NodeBuilder into(Block block) {
        return NodeBuilder.of(graph, block::append);
    }
}
