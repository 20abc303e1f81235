package org.torchnnapi.converter.partial;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Arguments of a graph that the shapes and element types of certain tensors may follow from: those that they are
 * computed of, in any way. Where such a shape or type became part of what was made of the graph, it holds for arguments
 * of the examples' shapes and types only.
 */
public final class ArgumentSources {
    private final Graph graph;
    private final Set<Value> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Value> arguments = Collections.newSetFromMap(new IdentityHashMap<>());

    public ArgumentSources(Graph graph) {
        this.graph = graph;
    }

    /** The shape or type of a tensor, or of a list of them, became part of something. */
    public void add(Value value) {
        Deque<Value> next = new ArrayDeque<>();
        next.add(value);
        while (!next.isEmpty()) {
            Value at = next.remove();
            if (!seen.add(at)) {
                continue;
            }
            if (graph.inputs().contains(at)) {
                arguments.add(at);
                continue;
            }
            Node maker =
                    at.definition() != null ? at.definition() : at.parameterOf().parent();
            if (maker != null) {
                next.addAll(maker.inputs());
                for (Block block : maker.blocks()) {
                    next.addAll(block.results());
                }
            }
        }
    }

    /** The same for all arguments of another. */
    public void addAll(Set<Value> others) {
        arguments.addAll(others);
    }

    /** The arguments, inputs of the graph. */
    public Set<Value> arguments() {
        return Collections.unmodifiableSet(arguments);
    }
}
