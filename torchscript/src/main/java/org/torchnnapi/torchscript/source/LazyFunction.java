package org.torchnnapi.torchscript.source;

import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;

/** A function or method whose text is parsed when its signature or graph is first asked for: most methods of a model never are. */
final class LazyFunction {
    private final CodeLoader loader;
    private final Tree.Definition definition;
    private final ClassType self;
    // Threads that come at once may each parse, to trees that are equal.
    private volatile Tree.FunctionTree tree;

    /** @param self the class of a method, or null for a function */
    LazyFunction(CodeLoader loader, Tree.Definition definition, ClassType self) {
        this.loader = loader;
        this.definition = definition;
        this.self = self;
    }

    Function function(String qualifiedName, boolean hasBody) {
        String name = self == null ? qualifiedName : definition.name();
        return new Function(qualifiedName, () -> Signatures.of(loader, entry(), name, tree(), self),
            hasBody ? schema -> graph(schema) : null);
    }

    private String entry() {
        return definition.text().source().entry();
    }

    private Tree.FunctionTree tree() {
        Tree.FunctionTree known = tree;
        if (known == null) {
            known = Parser.function(definition.text());
            tree = known;
        }
        return known;
    }

    private Graph graph(FunctionSchema schema) {
        Graph graph = FunctionBuilder.build(loader, entry(), tree(), schema);
        tree = null;
        return graph;
    }
}
