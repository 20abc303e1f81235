package org.torchnnapi.torchscript.ir;

import java.util.function.Supplier;

/**
 * A function or method: its signature and its graph, either of which may be made from source when first asked for. Method graphs
 * take {@code self} as first input. Safe for use by several threads.
 */
public final class Function {
    private final String qualifiedName;
    private final Supplier<FunctionSchema> signature;
    private volatile FunctionSchema schema;
    private java.util.function.Function<FunctionSchema, Graph> builder;
    private Graph graph;

    /**
     * @param signature makes the signature, for several threads at once if they ask at once: one that waited for another could wait for
     *     a function that calls this one
     * @param builder makes the graph on first use; null for interface methods, which have none
     */
    public Function(String qualifiedName, Supplier<FunctionSchema> signature, java.util.function.Function<FunctionSchema, Graph> builder) {
        this.qualifiedName = qualifiedName;
        this.signature = signature;
        this.builder = builder;
    }

    /** @param builder makes the graph on first use; null for interface methods, which have none */
    public Function(String qualifiedName, FunctionSchema schema, Supplier<Graph> builder) {
        this(qualifiedName, () -> schema, builder == null ? null : known -> builder.get());
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
        if (schema == null) {
            schema = signature.get();
        }
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
            graph = builder.apply(schema());
            builder = null;
        }
        return graph;
    }
}
