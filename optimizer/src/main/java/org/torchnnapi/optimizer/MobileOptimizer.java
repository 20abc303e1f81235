package org.torchnnapi.optimizer;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.Freeze;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Makes a module ready for a phone's processor: every method one graph with its parameters as constants, batch
 * normalization folded, dropout gone, and convolutions and linear layers of known float32 weights packed ahead of time,
 * with the activations behind them.
 */
public final class MobileOptimizer {
    private final ScriptModule module;
    private final FrozenModule frozen;
    private final List<String> notPacked = new ArrayList<>();
    /** One for each parameter, whichever methods read it. */
    private final Map<Tensor, Tensor> detached = new IdentityHashMap<>();

    private final PackedLayers layers = Prepacking.layers();
    private int nodesBefore;
    private int folded;
    private int dropouts;
    private int convolutions;
    private int linears;
    private int clamps;

    private MobileOptimizer(ScriptModule module) {
        this.module = module;
        this.frozen = new FrozenModule(module);
    }

    /** An optimized module, to be written, and what was done. */
    public record Result(ModuleWriter writer, OptimizationReport report) {}

    /**
     * @param module in evaluation mode; not changed
     * @throws IllegalArgumentException if there is no method to optimize or one cannot be made one graph
     */
    public static Result optimize(ScriptModule module) {
        return new MobileOptimizer(module).run();
    }

    private Result run() {
        int nodesAfter = 0;
        for (String name : frozen.methods()) {
            Graph graph = optimize(name, frozen.graph(name));
            nodesAfter += count(graph.block(), node -> true);
            frozen.graph(name, graph);
        }
        OptimizationReport report = new OptimizationReport(
                frozen.methods(),
                frozen.kept(),
                nodesBefore,
                nodesAfter,
                folded,
                dropouts,
                convolutions,
                linears,
                clamps,
                List.copyOf(notPacked),
                List.of());
        return new Result(frozen.writer(), report);
    }

    private Graph optimize(String name, Graph before) {
        nodesBefore += count(before.block(), node -> true);
        Graph graph = Freeze.run(module.object(), name, frozen.changing());
        Passes.simplifyExactly(graph);
        int normalizations = count(graph.block(), MobileOptimizer::isNormalization);
        Passes.fold(graph);
        folded += normalizations - count(graph.block(), MobileOptimizer::isNormalization);
        dropouts +=
                count(before.block(), MobileOptimizer::isDropout) - count(graph.block(), MobileOptimizer::isDropout);
        Prepacking packing = Prepacking.run(graph, layers);
        convolutions += packing.convolutions();
        linears += packing.linears();
        clamps += packing.clamps();
        notPacked.addAll(packing.notPacked());
        DeadCode.run(graph);
        detach(graph.block());
        return graph;
    }

    /** Parameters that are constants take no gradients, as packed operators refuse inputs that do. */
    private void detach(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            Object value = node.is(Prim.CONSTANT) ? Literals.orNull(node.output()) : null;
            if (value instanceof Tensor tensor && tensor.requiresGrad()) {
                Node constant = block.graph()
                        .constant(detached.computeIfAbsent(tensor, Prepacking::detached), Type.Basic.TENSOR)
                        .range(node.range());
                block.insertBefore(node, constant);
                node.output().replaceAllUsesWith(constant.output());
                node.destroy();
            }
            node.blocks().forEach(this::detach);
        }
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
            count += !node.is(Prim.CONSTANT) && wanted.test(node) ? 1 : 0;
            for (Block inner : node.blocks()) {
                count += count(inner, wanted);
            }
        }
        return count;
    }
}
