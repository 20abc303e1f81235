package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Nodes in order, with parameters and results; the body of a graph, a branch or a loop. */
public final class Block {
    private final Graph graph;
    private final Node parent;
    private final List<Value> parameters = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Node returns;

    Block(Graph graph, Node parent) {
        this.graph = graph;
        this.parent = parent;
        this.returns = new Node(graph, Prim.RETURN);
        this.returns.owner = this;
    }

    public Graph graph() {
        return graph;
    }

    /** The {@code prim::If} or {@code prim::Loop} this belongs to, or null for a graph's own block. */
    public Node parent() {
        return parent;
    }

    public List<Value> parameters() {
        return Collections.unmodifiableList(parameters);
    }

    public Value addParameter(Type type, String name) {
        Value value = new Value(null, this, type, name);
        parameters.add(value);
        return value;
    }

    public void removeParameter(int index) {
        if (parameters.get(index).isUsed()) {
            throw new IllegalStateException("parameter " + index + " is used (expected: no uses)");
        }
        parameters.remove(index);
    }

    /** Nodes in execution order, unmodifiable; copy before changing the block while walking. */
    public List<Node> nodes() {
        return Collections.unmodifiableList(nodes);
    }

    /** The node whose inputs are the block's results. */
    public Node returns() {
        return returns;
    }

    public List<Value> results() {
        return returns.inputs();
    }

    public void addResult(Value value) {
        returns.addInput(value);
    }

    public Node append(Node node) {
        return insert(nodes.size(), node);
    }

    public Node insertBefore(Node position, Node node) {
        return insert(position == returns ? nodes.size() : nodes.indexOf(position), node);
    }

    public Node insert(int index, Node node) {
        if (node.owner != null) {
            throw new IllegalStateException(node.kind() + " stands in a block already (expected: a free node)");
        }
        node.owner = this;
        nodes.add(index, node);
        return node;
    }

    /** Takes a node out without touching its inputs or uses. */
    public void remove(Node node) {
        if (!nodes.remove(node)) {
            throw new IllegalStateException(node.kind() + " is not in this block");
        }
        node.owner = null;
    }

    void destroyAll() {
        returns.removeAllInputs();
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Node node = nodes.get(i);
            for (Block block : node.blocks()) {
                block.destroyAll();
            }
            node.removeAllInputs();
            node.owner = null;
            nodes.remove(i);
        }
    }
}
