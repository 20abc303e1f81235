package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Aliases;

/**
 * Lets branches that write to a tensor from outside, {@code if done: scores[k] = low}, write to one of their own and return it, where nobody can tell: the tensor
 * was made in the block that the branches stand in, and from them on is read under one name. {@link Functionalize} makes values of such writes then. Not for loops, each
 * of whose turns would copy all of what it writes a part of.
 */
public final class BranchWrites {
    private static final FunctionSchema CLONE = OperatorRegistry.standard().find("aten::clone").schema();

    private final Graph graph;
    private final Set<Value> touched = Collections.newSetFromMap(new IdentityHashMap<>());
    private Aliases aliases;

    private BranchWrites(Graph graph) {
        this.graph = graph;
    }

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        boolean any = false;
        while (new BranchWrites(graph).pass(graph.block())) {
            any = true;
        }
        return any;
    }

    private boolean pass(Block block) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            if (node.is("prim::If")) {
                List<Node> writes = new ArrayList<>();
                node.blocks().forEach(branch -> collect(branch, writes));
                for (Node write : writes) {
                    changed |= separate(node, write, writes);
                }
            }
            for (Block inner : node.blocks()) {
                changed |= pass(inner);
            }
        }
        return changed;
    }

    private static void collect(Block block, List<Node> writes) {
        for (Node node : block.nodes()) {
            if (node.schema() != null && Effects.mutates(node) && node.schema().arguments().get(0).mutated() && node.input(0).type() == Type.Basic.TENSOR) {
                writes.add(node);
            }
            node.blocks().forEach(inner -> collect(inner, writes));
        }
    }

    private boolean separate(Node branches, Node write, List<Node> writes) {
        aliases = aliases != null ? aliases : new Aliases(graph);
        List<Value> names = aliases.of(write.input(0));
        Value outer = root(write, branches);
        if (outer == null || !isReadByThatNameAlone(outer, names, branches) || names.stream().anyMatch(touched::contains)) {
            return false;
        }
        touched.addAll(names);
        List<Value> results = new ArrayList<>();
        for (Block branch : branches.blocks()) {
            boolean isWritten = writes.stream().anyMatch(other -> isInside(other, branch) && names.contains(other.input(0)));
            results.add(isWritten ? copied(outer, branch, write) : outer);
        }
        Value after = branches.addOutput(outer.type()).name(outer.name());
        for (Value.Use use : List.copyOf(outer.uses())) {
            if (!isInside(use.user(), branches) && Functionalize.comesAfter(branches, use.user())) {
                use.user().setInput(use.index(), after);
            }
        }
        for (int i = 0; i < results.size(); i++) {
            branches.blocks().get(i).returns().addInput(results.get(i));
        }
        return true;
    }

    /** A copy of a tensor, which a branch uses in its place. */
    private Value copied(Value tensor, Block branch, Node write) {
        Node none = graph.constant(null, Type.Basic.NONE);
        Node copy = graph.create(CLONE.name()).schema(CLONE).range(write.range());
        Value own = copy.addOutput(tensor.type()).name(tensor.name());
        for (Value.Use use : List.copyOf(tensor.uses())) {
            if (isInside(use.user(), branch)) {
                use.user().setInput(use.index(), own);
            }
        }
        branch.insert(0, copy.addInput(tensor).addInput(none.output()));
        branch.insert(0, none);
        return own;
    }

    /** What is written to, a part of it maybe, where it was made in the block that the branches stand in; or null. */
    private static Value root(Node write, Node branches) {
        Value at = write.input(0);
        while (at != null && at.definition() != null && isInside(at.definition(), branches)) {
            at = viewed(at);
        }
        return at == null || at.definition() == null || at.definition().owner() != branches.owner() ? null : at;
    }

    private static Value viewed(Value view) {
        Node node = view.definition();
        for (int i = 0; node.schema() != null && i < node.inputs().size(); i++) {
            if (node.input(i).type() == Type.Basic.TENSOR && Aliases.mayShare(node, i, view)) {
                return node.input(i);
            }
        }
        return null;
    }

    /** Whether what these names stand for was made in the graph, and is read under no other that was there before the branches. */
    private boolean isReadByThatNameAlone(Value tensor, List<Value> names, Node branches) {
        for (Value name : names) {
            Node maker = name.definition();
            if (maker == null && name.parameterOf() == graph.block() || maker != null && (maker.is("prim::Constant") || maker.is("prim::GetAttr"))) {
                return false;
            }
            if (Functionalize.isReadThroughList(name, branches)) {
                return false;
            }
            boolean before = maker == null || maker != branches && !isInside(maker, branches) && !Functionalize.comesAfter(branches, maker);
            if (before && name != tensor
                && name.uses().stream().anyMatch(use -> isInside(use.user(), branches) || Functionalize.comesAfter(branches, use.user()))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isInside(Node node, Node outer) {
        return outer.blocks().stream().anyMatch(block -> isInside(node, block));
    }

    private static boolean isInside(Node node, Block block) {
        for (Node at = node; at != null; at = at.owner().parent()) {
            if (at.owner() == block) {
                return true;
            }
        }
        return false;
    }
}
