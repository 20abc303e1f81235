package org.torchnnapi.converter.partition;

import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.torchnnapi.converter.emit.OpenShapes;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Errors that a method raises for sizes that it does not take. Of a graph that was divided for some sizes, all of which
 * it takes, they are gone; a model for open sizes has them again.
 */
final class SizeChecks {
    private final Graph original;
    private final DynamicInputs inputs;
    private final BlockCopy copies;
    private final Consumer<Node> insert;
    private final Set<Node> copied = Collections.newSetFromMap(new IdentityHashMap<>());

    private SizeChecks(Graph original, DynamicInputs inputs, Graph target, Consumer<Node> insert) {
        this.original = original;
        this.inputs = inputs;
        this.insert = insert;
        Map<Value, Value> values = new HashMap<>();
        for (int i = 0; i < original.inputs().size(); i++) {
            values.put(original.inputs().get(i), target.inputs().get(i));
        }
        copies = new BlockCopy(target, values);
    }

    /**
     * Copies the checks that open sizes decide, with what they compute of them.
     *
     * @param target a graph with the same inputs
     * @param insert takes the nodes, in order
     */
    static void copy(Graph original, DynamicInputs inputs, Graph target, Consumer<Node> insert) {
        new SizeChecks(original, inputs, target, insert).run();
    }

    private void run() {
        List<Node> nodes = original.block().nodes();
        for (Node node : nodes) {
            Set<Node> needed = Collections.newSetFromMap(new IdentityHashMap<>());
            if (isCheck(node) && collect(node, needed) && needed.stream().anyMatch(this::readsOpenSize)) {
                for (Node before : nodes) {
                    if (needed.contains(before) && copied.add(before)) {
                        insert.accept(copies.copyOf(before));
                    }
                }
                insert.accept(copies.copyOf(node).attribute(ResidualGraph.GUARD, true));
            }
        }
    }

    /** Whether a node does nothing but raise an error where a condition holds, or does not. */
    private static boolean isCheck(Node node) {
        if (!node.is(Prim.IF) || !node.outputs().isEmpty()) {
            return false;
        }
        List<Node> first = node.blocks().get(0).nodes();
        List<Node> second = node.blocks().get(1).nodes();
        List<Node> raising = first.isEmpty() ? second : first;
        return (first.isEmpty() || second.isEmpty())
                && raising.stream().anyMatch(NodeBuilder::isRaise)
                && raising.stream().allMatch(inner -> NodeBuilder.isRaise(inner) || isPlain(inner));
    }

    /** Collects what a node reads of nodes outside of it; false if that is more than numbers that follow from sizes. */
    private boolean collect(Node node, Set<Node> needed) {
        for (Value input : node.inputs()) {
            Node made = input.definition();
            boolean isArgument = original.inputs().contains(input);
            if (isArgument && !(NodeBuilder.isSize(node) || node.is("aten::dim") || node.is("aten::numel"))) {
                return false;
            }
            if (!isArgument && made != null && made.owner() == original.block() && needed.add(made)) {
                if (!isPlain(made) || !collect(made, needed)) {
                    return false;
                }
            }
        }
        for (Block block : node.blocks()) {
            for (Node inner : block.nodes()) {
                if (!collect(inner, needed)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isPlain(Node node) {
        return node.blocks().isEmpty()
                && (node.is(Prim.CONSTANT)
                        || node.schema() != null && !node.schema().isMutating())
                && !Effects.hasSideEffects(node)
                && !Effects.isRandom(node)
                && node.outputs().stream().allMatch(output -> isNumber(output.type()));
    }

    private static boolean isNumber(Type type) {
        return type == Type.Basic.INT
                || type == Type.Basic.FLOAT
                || type == Type.Basic.BOOL
                || type == Type.Basic.NUMBER
                || type == Type.Basic.STRING
                || type == Type.Basic.NONE;
    }

    private boolean readsOpenSize(Node node) {
        int argument = node.inputs().isEmpty() ? -1 : original.inputs().indexOf(node.input(0)) - 1;
        if (argument < 0 || node.is("aten::dim")) {
            return false;
        }
        Object dimension = NodeBuilder.isSize(node) ? Literals.orNull(node.input(1)) : null;
        if (!(dimension instanceof Long number)) {
            return true;
        }
        int rank = inputs.specs().get(argument).shape().length;
        OpenShapes.OpenSize place = new OpenShapes.OpenSize(argument, (int) (number < 0 ? number + rank : number));
        return inputs.open().stream().anyMatch(group -> group.contains(place));
    }
}
