package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What every graph must be, checked between passes: each value is defined before it is used and in a block that
 * encloses its use, use lists agree with inputs, branches and loops have the blocks, parameters and results that belong
 * to them, and operators have the inputs and outputs of their schema.
 */
public final class GraphVerifier {
    private static final int MAX_DEPTH = 2000;

    private final Graph graph;
    private final Set<Value> visible = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Value, Integer> used = new IdentityHashMap<>();
    private final List<Value> defined = new ArrayList<>();

    private GraphVerifier(Graph graph) {
        this.graph = graph;
    }

    /** @throws IllegalStateException if the graph breaks a rule; the message names the node, its place and the rule */
    public static void verify(Graph graph) {
        GraphVerifier verifier = new GraphVerifier(graph);
        verifier.block(graph.block(), 0);
        for (Value value : verifier.defined) {
            verifier.uses(value);
        }
    }

    private void block(Block block, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("blocks: nested deeper than " + MAX_DEPTH + " (expected: at most that)");
        }
        if (block.graph() != graph) {
            throw new IllegalStateException("block: belongs to another graph (expected: the graph it stands in)");
        }
        List<Value> own = new ArrayList<>(block.parameters());
        visible.addAll(own);
        for (Node node : block.nodes()) {
            check(node.owner() == block, node, "owner", "the block that lists it");
            check(node.graph() == graph, node, "graph", "the graph it stands in");
            inputs(node);
            shape(node);
            for (Block inner : node.blocks()) {
                check(inner.parent() == node, node, "parent of a block", "the node that holds it");
                block(inner, depth + 1);
            }
            schema(node);
            for (Value output : node.outputs()) {
                check(output.definition() == node, node, "definition of output " + output, "the node itself");
                check(visible.add(output), node, "output " + output, "defined once");
                own.add(output);
            }
        }
        inputs(block.returns());
        defined.addAll(own);
        own.forEach(visible::remove);
    }

    private void inputs(Node node) {
        for (int i = 0; i < node.inputs().size(); i++) {
            Value input = node.input(i);
            if (!visible.contains(input)) {
                throw error(node, "input " + i + " " + input, "a value defined before, in this block or one around it");
            }
            used.merge(input, 1, Integer::sum);
        }
    }

    private void uses(Value value) {
        int expected = used.getOrDefault(value, 0);
        if (value.uses().size() != expected) {
            throw new IllegalStateException("uses of " + value + ": "
                    + value.uses().size() + " listed (expected: " + expected + ", its uses as input)");
        }
        for (Value.Use use : value.uses()) {
            if (use.index() >= use.user().inputs().size() || use.user().input(use.index()) != value) {
                throw new IllegalStateException("use of " + value + ": input " + use.index() + " of "
                        + use.user().kind() + " (expected: that input is the value)");
            }
        }
    }

    private static void shape(Node node) {
        switch (node.kind()) {
            case Prim.IF -> {
                check(node.inputs().size() == 1, node, node.inputs().size() + " inputs", "1, the condition");
                check(node.blocks().size() == 2, node, node.blocks().size() + " blocks", "2");
                for (Block block : node.blocks()) {
                    check(block.parameters().isEmpty(), node, "parameters of a branch", "none");
                    check(
                            block.results().size() == node.outputs().size(),
                            node,
                            block.results().size() + " results of a branch",
                            "one for each of " + node.outputs().size() + " outputs");
                }
            }
            case Prim.LOOP -> {
                check(node.blocks().size() == 1, node, node.blocks().size() + " blocks", "1");
                check(
                        node.inputs().size() == node.outputs().size() + 2,
                        node,
                        node.inputs().size() + " inputs",
                        "trip count, condition and " + node.outputs().size() + " carried values");
                Block block = node.blocks().get(0);
                check(
                        block.parameters().size() == node.outputs().size() + 1,
                        node,
                        block.parameters().size() + " block parameters",
                        "trip index and " + node.outputs().size() + " carried values");
                check(
                        block.results().size() == node.outputs().size() + 1,
                        node,
                        block.results().size() + " block results",
                        "condition and " + node.outputs().size() + " carried values");
            }
            case Prim.CONSTANT -> {
                check(
                        node.inputs().isEmpty() && node.outputs().size() == 1,
                        node,
                        "inputs or outputs",
                        "no input and one output");
                check(node.attributes().containsKey("value"), node, "no value", "an attribute value");
            }
            default -> {
                boolean mayHaveBlocks = node.is(Prim.FORK);
                check(
                        node.blocks().isEmpty() || mayHaveBlocks,
                        node,
                        node.blocks().size() + " blocks",
                        "none");
            }
        }
    }

    private static void schema(Node node) {
        FunctionSchema schema = node.schema();
        if (schema == null) {
            return;
        }
        int arguments = schema.arguments().size();
        check(
                node.inputs().size() == arguments
                        || schema.isVararg() && node.inputs().size() > arguments,
                node,
                node.inputs().size() + " inputs",
                arguments + " as in " + schema);
        check(
                node.outputs().size() == schema.returns().size(),
                node,
                node.outputs().size() + " outputs",
                schema.returns().size() + " as in " + schema);
        for (int i = 0; i < arguments; i++) {
            Type formal = schema.arguments().get(i).type();
            Type actual = node.input(i).type();
            check(
                    fits(actual, formal),
                    node,
                    "input " + i + " of type " + actual.text(),
                    formal.text() + " for " + schema.arguments().get(i).name());
        }
    }

    private static boolean fits(Type actual, Type formal) {
        if (actual == Type.Basic.ANY || TypeRelations.hasVariables(formal) || TypeRelations.isSubtype(actual, formal)) {
            return true;
        }
        return TypeRelations.unwrapOptional(formal) instanceof Type.ListType wanted
                && actual instanceof Type.ListType list
                && TypeRelations.isSubtype(list.element(), wanted.element());
    }

    private static void check(boolean holds, Node node, String found, String expected) {
        if (!holds) {
            throw error(node, found, expected);
        }
    }

    private static IllegalStateException error(Node node, String found, String expected) {
        return new IllegalStateException(
                node.kind() + " at " + node.range() + ": " + found + " (expected: " + expected + ")");
    }
}
