package org.torchnnapi.torchscript.ir;

import java.util.List;

/** A function body in static single assignment form. */
public final class Graph {
    private final Block block = new Block(this, null);

    public Block block() {
        return block;
    }

    public List<Value> inputs() {
        return block.parameters();
    }

    public List<Value> outputs() {
        return block.results();
    }

    public Value addInput(Type type, String name) {
        return block.addParameter(type, name);
    }

    /** A free node; insert it into a block. */
    public Node create(String kind) {
        return new Node(this, kind);
    }

    /** A free node with inputs and one output. */
    public Node create(String kind, List<Value> inputs, Type outputType) {
        Node node = new Node(this, kind);
        inputs.forEach(node::addInput);
        node.addOutput(outputType);
        return node;
    }

    /** A free {@code prim::Constant}; {@code value} is a runtime value, null for None. */
    public Node constant(Object value, Type type) {
        Node node = new Node(this, Prim.CONSTANT).attribute("value", value);
        node.addOutput(type);
        return node;
    }
}
