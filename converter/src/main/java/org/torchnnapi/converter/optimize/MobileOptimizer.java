package org.torchnnapi.converter.optimize;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.torchnnapi.converter.passes.DeadCode;
import org.torchnnapi.converter.passes.Freeze;
import org.torchnnapi.converter.passes.Passes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Makes a module ready for a phone's processor: every method one graph with its parameters as constants, batch normalization folded, dropout
 * gone, and convolutions and linear layers of known float32 weights packed ahead of time, with the activations behind them.
 */
public final class MobileOptimizer {
    /** Methods of these names give inputs that come with a model; there is nothing in them to make faster. */
    private static final String BUNDLED = "bundled_input";

    private final ScriptModule module;
    private final ScriptObject root;
    private final ReducedObjects objects;
    private final Map<String, Graph> optimized = new LinkedHashMap<>();
    private final List<String> kept = new ArrayList<>();
    private final List<String> notPacked = new ArrayList<>();
    private int nodesBefore;
    private int folded;
    private int dropouts;
    private int convolutions;
    private int linears;
    private int clamps;

    private MobileOptimizer(ScriptModule module) {
        this.module = module;
        this.root = module.object();
        this.objects = new ReducedObjects(root);
    }

    /** An optimized module, to be written, and what was done. */
    public record Result(ModuleWriter writer, OptimizationReport report) {
    }

    /**
     * @param module in evaluation mode; not changed
     * @throws IllegalArgumentException if there is no method to optimize or one cannot be made one graph
     */
    public static Result optimize(ScriptModule module) {
        return new MobileOptimizer(module).run();
    }

    private Result run() {
        for (Function method : root.type().methods()) {
            if (method.name().contains(BUNDLED)) {
                kept.add(method.name());
            } else if (!method.name().equals("__getstate__") && !method.name().equals("__setstate__")) {
                optimized.put(method.name(), null);
            }
        }
        if (optimized.isEmpty()) {
            throw new IllegalArgumentException("methods: none (expected: a module with one, such as forward)");
        }
        Set<String> changing = changing();
        optimized.replaceAll((name, none) -> optimize(name, changing));
        optimized.values().forEach(objects::add);
        objects.keep("training");
        kept.forEach(name -> attributes(root.type().method(name).graph().block()).forEach(objects::keep));
        ScriptObject reduced = objects.reduced();
        if (reduced.type().slot("training") >= 0) {
            reduced.set("training", false);
        }
        for (Function method : root.type().methods()) {
            if (kept.contains(method.name())) {
                add(reduced.type(), method, copy(method, reduced.type()));
            } else if (optimized.containsKey(method.name())) {
                add(reduced.type(), method, optimized.get(method.name()));
            }
        }
        int nodesAfter = optimized.values().stream().mapToInt(graph -> count(graph.block(), node -> true)).sum();
        OptimizationReport report = new OptimizationReport(List.copyOf(optimized.keySet()), List.copyOf(kept), nodesBefore, nodesAfter, folded, dropouts,
            convolutions, linears, clamps, List.copyOf(notPacked), List.of());
        return new Result(new ModuleWriter(reduced, module.interpreter()::run), report);
    }

    /** Names of attributes that a method sets or writes into, which therefore are constants in none. */
    private Set<String> changing() {
        Set<String> changing = new TreeSet<>();
        for (String name : optimized.keySet()) {
            Graph frozen = Freeze.run(root, name);
            nodesBefore += count(frozen.block(), node -> true);
            changing.addAll(attributes(frozen.block()));
        }
        return changing;
    }

    /** Names of the attributes that a graph gets or sets, but for those that hold modules. */
    private static Set<String> attributes(Block block) {
        Set<String> names = new TreeSet<>();
        for (Node node : block.nodes()) {
            boolean gets = node.is("prim::GetAttr") && !(node.output().type() instanceof ClassType type && type.kind() != ClassType.Kind.CUSTOM);
            if (gets || node.is("prim::SetAttr")) {
                names.add((String) node.attribute("name"));
            }
            node.blocks().forEach(inner -> names.addAll(attributes(inner)));
        }
        return names;
    }

    private Graph optimize(String name, Set<String> changing) {
        Graph frozen = Freeze.run(root, name, changing);
        Graph graph = Passes.prepare(root, name, changing);
        folded += count(frozen.block(), MobileOptimizer::isNormalization) - count(graph.block(), MobileOptimizer::isNormalization);
        dropouts += count(frozen.block(), MobileOptimizer::isDropout) - count(graph.block(), MobileOptimizer::isDropout);
        Prepacking packing = Prepacking.run(graph);
        convolutions += packing.convolutions();
        linears += packing.linears();
        clamps += packing.clamps();
        notPacked.addAll(packing.notPacked());
        DeadCode.run(graph);
        Casts.restore(graph, root.type().method(name).schema().returns().get(0).type());
        return graph;
    }

    private static boolean isNormalization(Node node) {
        return node.is("aten::batch_norm");
    }

    private static boolean isDropout(Node node) {
        return node.kind().endsWith("dropout") || node.kind().endsWith("dropout_");
    }

    private static int count(Block block, Predicate<Node> wanted) {
        int count = 0;
        for (Node node : block.nodes()) {
            count += !node.is("prim::Constant") && wanted.test(node) ? 1 : 0;
            for (Block inner : node.blocks()) {
                count += count(inner, wanted);
            }
        }
        return count;
    }

    private static Graph copy(Function method, ClassType self) {
        Graph graph = new Graph();
        Map<Value, Value> values = new HashMap<>();
        for (Value input : method.graph().inputs()) {
            values.put(input, graph.addInput(values.isEmpty() ? self : input.type(), input.name()));
        }
        new BlockCopy(graph, values).copyInto(method.graph().block(), graph.block()::append).forEach(graph.block()::addResult);
        return graph;
    }

    private static void add(ClassType type, Function method, Graph graph) {
        FunctionSchema known = method.schema();
        List<FunctionSchema.Argument> arguments = new ArrayList<>(known.arguments());
        arguments.set(0, FunctionSchema.Argument.of(arguments.get(0).name(), type));
        FunctionSchema schema = new FunctionSchema(known.name(), known.overload(), arguments, known.returns(), known.isVararg());
        type.addMethod(new Function(type.name() + "." + method.name(), schema, () -> graph));
    }
}
