package org.torchnnapi.torchscript.ir;

import java.util.function.Supplier;

/**
 * A function or method: its signature and its graph, either of which may be made from source when first asked for.
 * Method graphs take {@code self} as first input. Safe for use by several threads.
 */
public final class Function {
    /** Another function with the same text. */
    public interface Twin {
        /** The function, if its graph does the same as that of this one would; otherwise null. */
        Function find();

        /** The place in this function's text that is at another in the twin's. */
        SourceRange moved(SourceRange range);
    }

    private final String qualifiedName;
    private final Supplier<FunctionSchema> signature;
    private final Twin twin;
    private volatile FunctionSchema schema;
    private volatile Function representative;
    private java.util.function.Function<FunctionSchema, Graph> builder;
    private Graph graph;

    /**
     * @param signature makes the signature, for several threads at once if they ask at once: one that waited for
     *     another could wait for a function that calls this one
     * @param builder makes the graph on first use; null for interface methods, which have none
     * @param twin a function with the same text; null for none
     */
    public Function(
            String qualifiedName,
            Supplier<FunctionSchema> signature,
            java.util.function.Function<FunctionSchema, Graph> builder,
            Twin twin) {
        this.qualifiedName = qualifiedName;
        this.signature = signature;
        this.builder = builder;
        this.twin = twin;
    }

    /** As the other constructor, without a twin. */
    public Function(
            String qualifiedName,
            Supplier<FunctionSchema> signature,
            java.util.function.Function<FunctionSchema, Graph> builder) {
        this(qualifiedName, signature, builder, null);
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
                throw new IllegalStateException(
                        qualifiedName + " has no body (expected: a method of a class, not of an interface)");
            }
            graph = builder.apply(schema());
            builder = null;
        }
        return graph;
    }

    /** The twin that this was made with, or null. */
    public Twin twin() {
        return twin;
    }

    /**
     * A function whose graph does the same, for whoever runs it or asks what it does: itself unless one with the same
     * text was made before. Objects, types and places of its own are in its own {@link #graph} alone.
     */
    public Function representative() {
        Function known = representative;
        if (known == null) {
            Function found = twin == null ? null : twin.find();
            known = found == null ? this : found;
            representative = known;
        }
        return known;
    }

    /** The place in this function of a node of its {@link #representative}'s graph. */
    public SourceRange range(Node node) {
        return representative() == this ? node.range() : twin.moved(node.range());
    }
}
