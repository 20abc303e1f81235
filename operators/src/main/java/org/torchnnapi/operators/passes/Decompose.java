package org.torchnnapi.operators.passes;

import java.util.List;
import java.util.function.Predicate;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Inlining;

/**
 * Replaces composite operators by what they are made of, and what those are made of in turn, so that a back end need
 * only know the operators that are left: the core set. Conditions on arguments become branches, which folding constants
 * decides where they are known.
 */
public final class Decompose {
    /** A decomposition may use composites; none nests deeper than this. */
    private static final int MAX_DEPTH = 16;

    private Decompose() {}

    /**
     * @param keeps composite operators to leave as they are, such as those that a back end has an operation for
     * @return whether anything was replaced
     */
    public static boolean run(Graph graph, Predicate<Node> keeps) {
        return run(graph.block(), keeps, 0);
    }

    /** What a composite operator is made of, or null for any other. */
    public static Function of(Node node) {
        if (!OperatorTrait.COMPOSITE.of(node)) {
            return null;
        }
        for (Operator operator : OperatorRegistry.withBuiltins().overloads(node.kind())) {
            if (operator.schema().equals(node.schema())) {
                return operator.decomposition();
            }
        }
        return null;
    }

    private static boolean run(Block block, Predicate<Node> keeps, int depth) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= run(inner, keeps, depth);
            }
            Function function =
                    depth < MAX_DEPTH && !(OperatorTrait.COMPOSITE.of(node) && keeps.test(node)) ? of(node) : null;
            if (function != null) {
                replace(node, function, keeps, depth);
                changed = true;
            }
        }
        return changed;
    }

    private static void replace(Node node, Function function, Predicate<Node> keeps, int depth) {
        List<Value> results = Inlining.before(node, function.graph(), inner -> {
            place(inner, node.range());
            run(inner, keeps, depth + 1);
        });
        Inlining.replace(node, results);
    }

    /** What an operator is made of stands where the operator stood. */
    public static void place(Block block, SourceRange range) {
        for (Node made : block.nodes()) {
            made.range(range);
            made.blocks().forEach(inner -> place(inner, range));
        }
    }
}
