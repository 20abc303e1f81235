package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Puts what forks do in their places, and what they give in the places of what waits for it. A future that somebody
 * else may see, as it is an attribute or a result, leaves all forks as they are.
 */
public final class ForkInlining {
    private ForkInlining() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        List<Node> forks = new ArrayList<>();
        List<Node> waits = new ArrayList<>();
        if (!EachNode.any(graph, node -> node.is(Prim.FORK))
                || EachNode.any(graph, ForkInlining::shows)
                || holdsFuture(graph.block().results())) {
            return false;
        }
        retype(graph.block());
        EachNode.over(graph, node -> {
            if (node.is("aten::wait")) {
                waits.add(node);
            } else if (node.is(Prim.FORK)) {
                forks.add(node);
            }
            return false;
        });
        forks.forEach(ForkInlining::unfold);
        for (Node wait : waits) {
            wait.output().replaceAllUsesWith(wait.input(0));
            wait.destroy();
        }
        return true;
    }

    /**
     * Puts a fork's nodes in its place, its result in that of the future; types stay.
     *
     * @return the nodes
     */
    public static List<Node> unfold(Node fork) {
        Block inner = fork.blocks().get(0);
        List<Node> nodes = List.copyOf(inner.nodes());
        Splice.before(fork, inner);
        fork.output().replaceAllUsesWith(inner.results().get(0));
        fork.destroy();
        return nodes;
    }

    /**
     * Whether a node that is no operator, container or control flow gives or takes a future, or a named tuple, whose
     * class says the types, has one.
     */
    private static boolean shows(Node node) {
        if (node.outputs().stream()
                        .anyMatch(output -> output.type() instanceof Type.TupleType tuple && tuple.name() != null)
                && holdsFuture(node.outputs())) {
            return true;
        }
        boolean passes = node.schema() != null
                || !node.blocks().isEmpty()
                || node.is(Prim.CONSTANT)
                || node.kind().endsWith("Construct")
                || node.kind().endsWith("Unpack")
                || node.is(Prim.TUPLE_INDEX)
                || node.is(Prim.UNCHECKED_CAST);
        return !passes && (holdsFuture(node.inputs()) || holdsFuture(node.outputs()));
    }

    private static boolean holdsFuture(List<Value> values) {
        return values.stream().anyMatch(value -> !value.type().equals(without(value.type())));
    }

    private static void retype(Block block) {
        block.parameters().forEach(ForkInlining::retype);
        for (Node node : block.nodes()) {
            node.outputs().forEach(ForkInlining::retype);
            node.blocks().forEach(ForkInlining::retype);
        }
    }

    private static void retype(Value value) {
        value.type(without(value.type()));
    }

    /** The type with what futures give in their places. */
    private static Type without(Type type) {
        if (type instanceof Type.FutureType future) {
            return without(future.element());
        } else if (type instanceof Type.ListType list) {
            return Type.list(without(list.element()));
        } else if (type instanceof Type.DictType dict) {
            return new Type.DictType(dict.key(), without(dict.value()));
        } else if (type instanceof Type.OptionalType optional) {
            return new Type.OptionalType(without(optional.element()));
        } else if (type instanceof Type.TupleType tuple) {
            return new Type.TupleType(
                    tuple.elements().stream().map(ForkInlining::without).collect(Streams.toList()),
                    tuple.name(),
                    tuple.fields());
        }
        return type;
    }
}
