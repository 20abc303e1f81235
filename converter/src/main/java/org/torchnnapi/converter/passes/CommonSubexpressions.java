package org.torchnnapi.converter.passes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.tensor.Tensor;

/** Computes equal things once. Only in graphs where nothing is written in place. */
public final class CommonSubexpressions {
    private record Key(String kind, String overload, List<Value> inputs, List<Object> attributes, int outputs) {
    }

    private CommonSubexpressions() {
    }

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return !writes(graph.block()) && run(graph.block(), new HashMap<>());
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

    private static boolean run(Block block, Map<Key, Node> seen) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= run(inner, new HashMap<>(seen));
            }
            if (!node.blocks().isEmpty() || Effects.hasSideEffects(node) || Effects.isRandom(node)
                || node.is("prim::ListConstruct") && node.outputs().stream().anyMatch(Literals::isMutated)) {
                continue;
            }
            Key key = key(node);
            Node twin = seen.putIfAbsent(key, node);
            if (twin != null) {
                for (int i = 0; i < node.outputs().size(); i++) {
                    node.output(i).replaceAllUsesWith(twin.output(i));
                }
                node.destroy();
                changed = true;
            }
        }
        return changed;
    }

    private static Key key(Node node) {
        List<Object> attributes = new ArrayList<>();
        if (node.is("prim::Constant")) {
            attributes.add(identityOrValue(node.attribute("value")));
            attributes.add(node.output().type());
        } else {
            node.attributes().forEach((name, value) -> {
                attributes.add(name);
                attributes.add(identityOrValue(value));
            });
        }
        return new Key(node.kind(), node.schema() == null ? null : node.schema().overload(), List.copyOf(node.inputs()), attributes,
            node.outputs().size());
    }

    private static Object identityOrValue(Object value) {
        // 0.0 and -0.0, and 1 and 1.0, stay apart because boxed equality keeps them apart; tensors are equal by identity.
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
