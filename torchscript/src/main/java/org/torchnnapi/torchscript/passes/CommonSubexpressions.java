package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;

/** Computes equal things once. Only in graphs where nothing is written in place. */
public final class CommonSubexpressions {
    private record Key(String kind, String overload, List<Value> inputs, List<Object> attributes, int outputs) {}

    private CommonSubexpressions() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return !writes(graph.block()) && run(graph.block(), new HashMap<>(), new Escapes(graph), sets(graph.block()));
    }

    /** Whether attributes are set, here or in methods that are called. */
    private static boolean sets(Block block) {
        return block.nodes().stream()
                .anyMatch(node -> node.is(Prim.SET_ATTR)
                        || node.is(Prim.CALL_METHOD)
                        || node.blocks().stream().anyMatch(CommonSubexpressions::sets));
    }

    private static boolean writes(Block block) {
        for (Node node : block.nodes()) {
            if (Effects.mutates(node)) {
                return true;
            }
            for (Block inner : node.blocks()) {
                if (writes(inner)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean run(Block block, Map<Key, Node> seen, Escapes escapes, boolean sets) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= run(inner, new HashMap<>(seen), escapes, sets);
            }
            // Between two reads of an attribute it may be set.
            if (!node.blocks().isEmpty()
                    || Effects.hasSideEffects(node)
                    || Effects.isRandom(node)
                    // Each is an object of its own.
                    || node.is(Prim.CREATE_OBJECT)
                    || node.is(Prim.GET_ATTR) && sets
                    || node.is(Prim.LIST_CONSTRUCT) && node.outputs().stream().anyMatch(Literals::isMutated)) {
                continue;
            }
            Key key = key(node);
            Node twin = seen.putIfAbsent(key, node);
            if (twin != null && !(escapes.test(node) && escapes.test(twin))) {
                for (int i = 0; i < node.outputs().size(); i++) {
                    node.output(i).replaceAllUsesWith(twin.output(i));
                }
                node.destroy();
                changed = true;
            }
        }
        return changed;
    }

    /**
     * Whether a node's results may share memory with what the caller sees. Two such results stay two: the caller may
     * hold on to both and write to one.
     */
    private static final class Escapes {
        private final Graph graph;
        private Set<Value> visible;

        Escapes(Graph graph) {
            this.graph = graph;
        }

        boolean test(Node node) {
            if (node.is(Prim.CONSTANT)) {
                return false;
            }
            if (visible == null) {
                PointsTo aliases = new PointsTo(graph);
                visible = Collections.newSetFromMap(new IdentityHashMap<>());
                graph.inputs().forEach(input -> visible.addAll(aliases.of(input)));
                graph.outputs().forEach(output -> visible.addAll(aliases.of(output)));
            }
            return node.outputs().stream().anyMatch(visible::contains);
        }
    }

    private static Key key(Node node) {
        List<Object> attributes = new ArrayList<>();
        if (node.schema() == null) {
            // A named tuple is none without a name, and a list of its own type no other.
            node.outputs().forEach(output -> attributes.add(output.type()));
        }
        if (node.is(Prim.CONSTANT)) {
            attributes.add(identityOrValue(node.attribute("value")));
        } else {
            node.attributes().forEach((name, value) -> {
                attributes.add(name);
                attributes.add(identityOrValue(value));
            });
        }
        return new Key(
                node.kind(),
                node.schema() == null ? null : node.schema().overload(),
                List.copyOf(node.inputs()),
                attributes,
                node.outputs().size());
    }

    private static Object identityOrValue(Object value) {
        // 0.0 and -0.0, and 1 and 1.0, stay apart because boxed equality keeps them apart; tensors are equal by
        // identity.
        return value instanceof Tensor ? new Identity(value) : value;
    }

    private record Identity(Object object) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Identity identity && identity.object == object;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }
}
