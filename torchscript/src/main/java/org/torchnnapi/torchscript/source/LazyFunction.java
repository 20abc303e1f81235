package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;

/**
 * A function or method whose text is parsed when its signature or graph is first asked for: most methods of a model
 * never are.
 */
final class LazyFunction {
    private final CodeLoader loader;
    private final Tree.Definition definition;
    private final ClassType self;

    private LazyFunction(CodeLoader loader, Tree.Definition definition, ClassType self) {
        this.loader = loader;
        this.definition = definition;
        this.self = self;
    }

    static Function of(CodeLoader loader, Tree.Definition definition, String qualifiedName) {
        LazyFunction lazy = new LazyFunction(loader, definition, null);
        return new Function(qualifiedName, () -> lazy.signature(qualifiedName), lazy::graph);
    }

    static Function method(CodeLoader loader, Tree.Definition definition, ClassType self) {
        LazyFunction lazy = new LazyFunction(loader, definition, self);
        FunctionText text = definition.text();
        Function first = text.firstFunction();
        java.util.function.Function<FunctionSchema, Graph> builder =
                self.kind() == ClassType.Kind.INTERFACE ? null : lazy::graph;
        Function method = new Function(
                self.name() + "." + definition.name(),
                () -> lazy.signature(definition.name()),
                builder,
                first == null || builder == null ? null : new MethodTwin(first, self, text));
        if (text == text.first()) {
            text.made(method);
        }
        return method;
    }

    private FunctionSchema signature(String name) {
        FunctionText text = definition.text();
        Function first = text.firstFunction();
        if (text == text.first() || first == null) {
            return FunctionSignatures.of(loader, text.source().entry(), name, text.tree(), self);
        }
        FunctionSchema known = first.schema();
        List<FunctionSchema.Argument> arguments = new ArrayList<>(known.arguments());
        arguments.set(0, FunctionSchema.Argument.of(arguments.get(0).name(), self));
        return new FunctionSchema(name, "", arguments, known.returns(), false);
    }

    private Graph graph(FunctionSchema schema) {
        FunctionText text = definition.text();
        try {
            Graph graph = FunctionBuilder.build(loader, text, schema);
            text.forgetTree();
            return graph;
        } catch (SourceException e) {
            // Told with the place in its own file, not in that of a twin.
            return FunctionBuilder.build(loader, text.alone(), schema);
        }
    }
}
