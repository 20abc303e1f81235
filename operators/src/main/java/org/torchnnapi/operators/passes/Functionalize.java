package org.torchnnapi.operators.passes;

import java.util.List;
import java.util.Optional;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Aliases;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Replaces in-place operators by their functional form ({@code relu_} by {@code relu}) where nobody can tell: the tensor
 * written to was made in the same block, does not share memory with an input or a constant of the model, and is read
 * afterwards only under its own name or as the operator's result. Writes into parts of such a tensor become new tensors as well.
 */
public final class Functionalize {
    private static final double SIX = 6;

    private Functionalize() {
    }

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        boolean any = nameWrites(graph.block());
        while (pass(graph, new Aliases(graph), graph.block())) {
            any = true;
        }
        return any;
    }

    /** {@code quantized::relu6} may be asked to write in place, which its schema does not say: that becomes the operator that says so and does the same. */
    private static boolean nameWrites(Block block) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= nameWrites(inner);
            }
            if (node.is("quantized::relu6") && node.inputs().size() == 2 && Literals.of(node.input(1)).map(Literals.Literal::value).filter(Boolean.TRUE::equals).isPresent()) {
                FunctionSchema schema = OperatorRegistry.standard().overloads("aten::hardtanh_").get(0).schema();
                Node named = node.graph().create(schema.name()).schema(schema).range(node.range()).addInput(node.input(0));
                block.insertBefore(node, named);
                for (Object limit : new Object[] {0.0, SIX}) {
                    named.addInput(block.insertBefore(named, node.graph().constant(limit, Type.Basic.FLOAT)).output());
                }
                node.output().replaceAllUsesWith(named.addOutput(node.output().type()));
                node.destroy();
                changed = true;
            }
        }
        return changed;
    }

    private static boolean pass(Graph graph, Aliases aliases, Block block) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            Optional<Operator> twin = functionalTwin(node);
            if (twin.isPresent() && !node.is("aten::copy_") && isSound(graph, aliases, node)) {
                // The partition stays right: the new result stands for the old one in it, and so joins no fewer values than it shares memory with.
                Value old = node.output();
                aliases.replace(old, replace(node, twin.get().schema()));
                changed = true;
                continue;
            }
            boolean copies = node.is("aten::copy_") && node.schema() != null;
            if ((twin.isPresent() || copies) && ViewWrites.rewrite(aliases, node, copies ? null : twin.get().schema(), Functionalize::comesAfter)) {
                // New values, of which the partition knows nothing.
                return true;
            }
            for (Block inner : node.blocks()) {
                if (pass(graph, aliases, inner)) {
                    return true;
                }
            }
        }
        return changed;
    }

    private static Optional<Operator> functionalTwin(Node node) {
        FunctionSchema schema = node.schema();
        if (schema == null || !schema.name().endsWith("_") || schema.name().endsWith("__") || schema.arguments().isEmpty()
            || !schema.arguments().get(0).mutated() || schema.arguments().stream().filter(FunctionSchema.Argument::mutated).count() != 1) {
            return Optional.empty();
        }
        String name = schema.name().substring(0, schema.name().length() - 1);
        return OperatorRegistry.standard().overloads(name).stream().filter(o -> takesTheSame(o.schema(), schema)).findFirst();
    }

    private static boolean takesTheSame(FunctionSchema a, FunctionSchema b) {
        if (a.arguments().size() != b.arguments().size() || a.isMutating()) {
            return false;
        }
        for (int i = 0; i < a.arguments().size(); i++) {
            if (!a.arguments().get(i).type().equals(b.arguments().get(i).type())
                || !a.arguments().get(i).name().equals(b.arguments().get(i).name())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSound(Graph graph, Aliases aliases, Node node) {
        Value self = node.input(0);
        Node maker = self.definition();
        if (maker == null || maker.owner() != node.owner()) {
            return false;
        }
        if (isKnownByOneName(self, node)) {
            return true;
        }
        for (Value alias : aliases.of(self)) {
            boolean isOwned = alias.definition() != null && !alias.definition().is("prim::Constant")
                && !alias.definition().is("prim::GetAttr") || alias.parameterOf() != null && alias.parameterOf() != graph.block();
            if (!isOwned || isReadThroughList(alias, node)) {
                return false;
            }
            if (alias == self || node.outputs().contains(alias)) {
                continue;
            }
            for (Value.Use use : alias.uses()) {
                if (comesAfter(node, use.user())) {
                    if (derivesFrom(alias, node)) {
                        continue;
                    }
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Whether new memory, as the results of most operators are, is known by no other name yet when a node writes to it: whoever read it before kept nothing of it. What
     * it is put into later, a list of features say, holds what was written.
     */
    private static boolean isKnownByOneName(Value self, Node node) {
        Node maker = self.definition();
        if (maker.schema() == null || maker.schema().isMutating() || !maker.blocks().isEmpty() || sharesWith(maker, self)) {
            return false;
        }
        return self.uses().stream().allMatch(use -> use.user() == node ? use.index() == 0 : comesAfter(node, use.user()) || keepsNothing(use.user(), use.index()));
    }

    private static boolean sharesWith(Node maker, Value result) {
        for (int i = 0; i < maker.inputs().size(); i++) {
            if (Aliases.holdsMemory(maker.input(i).type()) && Aliases.mayShare(maker, i, result)) {
                return true;
            }
        }
        return false;
    }

    private static boolean keepsNothing(Node user, int index) {
        return user.schema() != null && !user.schema().isMutating() && user.blocks().isEmpty()
            && user.outputs().stream().noneMatch(output -> Aliases.holdsMemory(output.type()) && Aliases.mayShare(user, index, output));
    }

    /** Whether a list that held the tensor before the write is read after it: the list would go on holding the old one. */
    static boolean isReadThroughList(Value alias, Node node) {
        return alias.uses().stream().map(Value.Use::user).anyMatch(list -> Aliases.isReadOnlyList(list) && !comesAfter(node, list)
            && list.output().uses().stream().anyMatch(use -> comesAfter(node, use.user())));
    }

    /** Whether the alias was made from the operator's result or, after the operator ran, from the tensor it wrote to. */
    private static boolean derivesFrom(Value alias, Node node) {
        Node maker = alias.definition();
        Node at = maker;
        while (at != null && at.owner() != node.owner()) {
            at = at.owner().parent();
        }
        // What is made outside the block may have been made before, whatever reads it later.
        return at != null && comesAfter(node, maker);
    }

    /** Whether {@code other} runs after {@code node}, both at any depth below the node's block. */
    static boolean comesAfter(Node node, Node other) {
        Block block = node.owner();
        Node at = other;
        while (at != null && at.owner() != block) {
            at = at.owner().parent();
        }
        if (at == null) {
            // Used outside the block the operator stands in: by what follows it, or by another turn of its loop.
            return true;
        }
        return at != node && (at == block.returns() || block.nodes().indexOf(at) > block.nodes().indexOf(node));
    }

    private static Value replace(Node node, FunctionSchema schema) {
        Value self = node.input(0);
        Node made = node.graph().create(schema.name()).schema(schema).range(node.range());
        node.inputs().forEach(made::addInput);
        Value result = made.addOutput(node.output().type()).name(node.output().name());
        node.owner().insertBefore(node, made);
        for (Value.Use use : List.copyOf(self.uses())) {
            if (use.user() != node && use.user() != made && comesAfter(node, use.user())) {
                use.user().setInput(use.index(), result);
            }
        }
        node.output().replaceAllUsesWith(result);
        node.destroy();
        return result;
    }
}
