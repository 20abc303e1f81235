package org.torchnnapi.operators.passes;

import java.util.Set;
import java.util.function.Predicate;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.passes.CommonSubexpressions;
import org.torchnnapi.torchscript.passes.ControlFlowFolding;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.DropoutRemoval;
import org.torchnnapi.torchscript.passes.Freeze;
import org.torchnnapi.torchscript.passes.NumberTensors;
import org.torchnnapi.torchscript.passes.PlainCasts;
import org.torchnnapi.torchscript.passes.Tuples;
import org.torchnnapi.torchscript.value.ScriptObject;

/** What a conversion does to a model before lowering, in order. */
public final class Passes {
    /** Each round can only shrink the graph or turn nodes into constants; real models need two or three. */
    private static final int MAX_ROUNDS = 50;

    private Passes() {}

    /**
     * One self-contained graph of a module's method: calls inlined, unchanging attributes and everything computed from
     * them constant, dropout gone, in-place operators functional where that is sound, batch normalisation and constant
     * arithmetic folded into convolutions.
     *
     * @param root the module; not changed
     * @param method usually {@code forward}
     * @return the graph; its first input is the module, used only by what could not be frozen
     * @throws IllegalArgumentException if the module has no such method
     */
    public static Graph prepare(ScriptObject root, String method) {
        return prepare(root, method, Set.of());
    }

    /** @param changing names of attributes that stay attributes, as other methods change them */
    public static Graph prepare(ScriptObject root, String method, Set<String> changing) {
        Graph graph = Freeze.run(root, method, changing);
        simplify(graph);
        fold(graph);
        return graph;
    }

    /**
     * The same, where attributes and arguments that are written to become values too, which are written back at the
     * end, and what is written has the type of its place whatever types tensors have.
     */
    public static Graph pure(ScriptObject root, String method, Set<String> changing) {
        Graph graph = Freeze.run(root, method, changing);
        simplify(graph, root);
        fold(graph);
        return graph;
    }

    /** Folds batch normalisation and constant arithmetic into convolutions. */
    public static void fold(Graph graph) {
        while (ConvolutionFolding.run(graph)) {
            DeadCode.run(graph);
        }
    }

    /** Runs the local passes until nothing changes. */
    public static void simplify(Graph graph) {
        simplify(graph, (ScriptObject) null);
    }

    /**
     * The same of a graph as {@link #pure} makes it.
     *
     * @param module what its first input is
     */
    public static void simplify(Graph graph, ScriptObject module) {
        simplify(graph, g -> Functionalize.run(g, module, module != null));
    }

    /** The same for a graph that others run on whatever inputs: in place stays what may fail or convert there. */
    public static void simplifyExactly(Graph graph) {
        simplify(graph, Functionalize::exactly);
    }

    private static void simplify(Graph graph, Predicate<Graph> functionalize) {
        if (QuantizedPairs.occur(graph)) {
            // Before their weights are folded to real ones.
            simplify(graph, functionalize, false);
            QuantizedPairs.run(graph);
        }
        simplify(graph, functionalize, true);
    }

    private static void simplify(Graph graph, Predicate<Graph> functionalize, boolean folds) {
        boolean changed = true;
        for (int round = 0; changed && round < MAX_ROUNDS; round++) {
            changed = DropoutRemoval.run(graph);
            changed |= Tuples.run(graph);
            changed |= NumberTensors.run(graph);
            changed |= ConstantOperands.run(graph);
            changed |= PlainCasts.run(graph);
            changed |= functionalize.test(graph);
            changed |= folds && ConstantFolding.run(graph);
            changed |= ControlFlowFolding.run(graph);
            changed |= CommonSubexpressions.run(graph);
            changed |= DeadCode.run(graph);
        }
    }
}
