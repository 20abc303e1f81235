package org.torchnnapi.torchscript.source;

import java.util.List;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** The place where a function's nodes are being added. */
final class Emitter {
    private final CodeLoader loader;
    private final FunctionText text;
    private final Graph graph = new Graph();
    private Block block = graph.block();
    private NameScope scope = new NameScope(null);
    private boolean unresolved;

    /** @param text of the function, whose {@link FunctionText#tree} has the places that are given here */
    Emitter(CodeLoader loader, FunctionText text) {
        this.loader = loader;
        this.text = text;
    }

    CodeLoader loader() {
        return loader;
    }

    /** The file that places are in. */
    String entry() {
        return text.first().source().entry();
    }

    Graph graph() {
        return graph;
    }

    Block block() {
        return block;
    }

    NameScope scope() {
        return scope;
    }

    /** Whether an operator without schema was emitted, so that types of what follows are not certain. */
    boolean unresolved() {
        return unresolved;
    }

    void markUnresolved() {
        unresolved = true;
    }

    /** Adds what {@code body} emits to another block, with a scope of its own, which is returned. */
    NameScope within(Block inner, Runnable body) {
        Block outerBlock = block;
        NameScope outerScope = scope;
        NameScope own = new NameScope(outerScope);
        block = inner;
        scope = own;
        try {
            body.run();
        } finally {
            block = outerBlock;
            scope = outerScope;
        }
        return own;
    }

    Node insert(Node node, Position at) {
        Position own = text.moved(at);
        node.range(loader.archive().locate(text.source().entry(), own.line(), own.offset()));
        return block.append(node);
    }

    /** A new node without outputs. */
    Node node(String kind, List<Value> inputs, Position at) {
        Node node = graph.create(kind);
        inputs.forEach(node::addInput);
        return insert(node, at);
    }

    /** The output of a new node. */
    Value value(String kind, List<Value> inputs, Type type, Position at) {
        return insert(graph.create(kind, inputs, type), at).output();
    }

    Value constant(Object value, Type type, Position at) {
        return insert(graph.constant(value, type), at).output();
    }

    Type type(Tree.Annotation annotation) {
        return TypeReader.type(loader, annotation);
    }

    Type type(Tree.Expression expression) {
        return TypeReader.type(loader, entry(), expression);
    }

    SourceException error(Position at, String found, String expected) {
        return new SourceException(entry(), at, found, expected);
    }
}
