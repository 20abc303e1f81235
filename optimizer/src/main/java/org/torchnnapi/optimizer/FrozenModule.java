package org.torchnnapi.optimizer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.Decompose;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Freeze;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * A module written anew with a graph in place of each method, and with the attributes that these still use. Methods
 * that give bundled inputs stay as they are.
 */
public final class FrozenModule {
    /** Methods of these names give inputs that come with a model; there is nothing in them to make faster. */
    private static final String BUNDLED = "bundled_input";

    private final ScriptModule module;
    private final ScriptObject root;
    private final Map<String, Graph> graphs = new LinkedHashMap<>();
    private final List<String> kept = new ArrayList<>();
    private final Set<String> changing = new TreeSet<>();

    /**
     * @param module in evaluation mode; not changed
     * @throws IllegalArgumentException if there is no method to write anew or one cannot be made one graph
     */
    public FrozenModule(ScriptModule module) {
        this.module = module;
        this.root = module.object();
        for (Function method : root.type().methods()) {
            if (method.name().contains(BUNDLED)) {
                kept.add(method.name());
            } else if (!method.name().equals("__getstate__") && !method.name().equals("__setstate__")) {
                graphs.put(method.name(), null);
            }
        }
        if (graphs.isEmpty()) {
            throw new IllegalArgumentException("methods: none (expected: a module with one, such as forward)");
        }
        graphs.replaceAll((name, none) -> Freeze.run(root, name));
        graphs.values().forEach(graph -> changing.addAll(attributes(graph.block())));
    }

    /** Names of the methods that are written anew. */
    public List<String> methods() {
        return List.copyOf(graphs.keySet());
    }

    /** Names of those that are written as they are. */
    public List<String> kept() {
        return List.copyOf(kept);
    }

    /** Names of attributes that a method sets or writes into, which therefore are constants in none. */
    public Set<String> changing() {
        return changing;
    }

    /** What a method is now: at first all that it calls inlined, and attributes constants where they never change. */
    public Graph graph(String method) {
        return graphs.get(method);
    }

    /** Gives a method another graph, of the same inputs and results. */
    public FrozenModule graph(String method, Graph graph) {
        graphs.put(method, graph);
        return this;
    }

    /** Leaves a method out of what is written. */
    public FrozenModule without(String method) {
        graphs.remove(method);
        return this;
    }

    /**
     * Names of the methods of the module that one of its methods calls, at any depth; their code is part of its graph.
     */
    public Set<String> calledBy(String method) {
        Set<String> called = new TreeSet<>();
        addCalled(method, called);
        called.remove(method);
        return called;
    }

    private void addCalled(String method, Set<String> called) {
        Function function = root.type().method(method);
        if (function != null && function.hasBody()) {
            addCalled(function.graph().block(), function.graph().inputs().get(0), called);
        }
    }

    private void addCalled(Block block, Value self, Set<String> called) {
        for (Node node : block.nodes()) {
            if (node.is(Prim.CALL_METHOD) && node.input(0) == self && called.add((String) node.attribute("name"))) {
                addCalled((String) node.attribute("name"), called);
            }
            node.blocks().forEach(inner -> addCalled(inner, self, called));
        }
    }

    /**
     * What writes the module, of the graphs as they are now; types in them follow the module's new class. To be called
     * once.
     */
    public ModuleWriter writer() {
        ReducedObjects objects = new ReducedObjects(root);
        graphs.forEach((name, graph) -> Casts.restore(
                graph, root.type().method(name).schema().returns().get(0).type()));
        graphs.values().forEach(objects::add);
        objects.keep("training");
        kept.forEach(
                name -> attributes(root.type().method(name).graph().block()).forEach(objects::keep));
        ScriptObject reduced = objects.reduced();
        if (reduced.type().slot("training") >= 0) {
            reduced.set("training", false);
        }
        for (Function method : root.type().methods()) {
            if (kept.contains(method.name())) {
                add(reduced.type(), method, BlockCopy.of(method.graph(), reduced.type()));
            } else if (graphs.containsKey(method.name())) {
                add(reduced.type(), method, graphs.get(method.name()));
            }
        }
        return new ModuleWriter(reduced, module.interpreter()::run).decompositions(Decompose::of);
    }

    /** Names of the attributes that a graph gets or sets, but for those that hold modules. */
    private static Set<String> attributes(Block block) {
        Set<String> names = new TreeSet<>();
        for (Node node : block.nodes()) {
            boolean gets = node.is(Prim.GET_ATTR)
                    && !(node.output().type() instanceof ClassType type && type.kind() != ClassType.Kind.CUSTOM);
            if (gets || node.is(Prim.SET_ATTR)) {
                names.add((String) node.attribute("name"));
            }
            node.blocks().forEach(inner -> names.addAll(attributes(inner)));
        }
        return names;
    }

    private static void add(ClassType type, Function method, Graph graph) {
        FunctionSchema known = method.schema();
        List<FunctionSchema.Argument> arguments = new ArrayList<>(known.arguments());
        arguments.set(0, FunctionSchema.Argument.of(arguments.get(0).name(), type));
        FunctionSchema schema =
                new FunctionSchema(known.name(), known.overload(), arguments, known.returns(), known.isVararg());
        type.addMethod(new Function(type.name() + "." + method.name(), schema, () -> graph));
    }
}
