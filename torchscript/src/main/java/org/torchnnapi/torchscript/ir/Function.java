package org.torchnnapi.torchscript.ir;

import java.util.function.Supplier;

/**
 * A function or method: its signature, and its graph, which is built from source when first asked for. Method graphs take
 * {@code self} as first input.
 */
public final class Function {
    private final String qualifiedName;
    private final FunctionSchema schema;
    private Supplier<Graph> builder;
    private Graph graph;

    /**
     * @param builder makes the graph on first use; null for interface methods, which have none
     */
    public Function(String qualifiedName, FunctionSchema schema, Supplier<Graph> builder) {
        this.qualifiedName = qualifiedName;
        this.schema = schema;
        this.builder = builder;
    }

    /** For example {@code __torch__.net.Net.forward}. */
    public String qualifiedName() {
        return qualifiedName;
    }

    /** The last part of the qualified name. */
    public String name() {
        return qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1);
    }

    public FunctionSchema schema() {
        return schema;
    }

    public boolean hasBody() {
        return graph != null || builder != null;
    }

    /** @throws IllegalStateException for a method without body */
    public synchronized Graph graph() {
        if (graph == null) {
            if (builder == null) {
                throw new IllegalStateException(qualifiedName + " has no body (expected: a method of a class, not of an interface)");
            }
            graph = builder.get();
            builder = null;
        }
        return graph;
    }
}
