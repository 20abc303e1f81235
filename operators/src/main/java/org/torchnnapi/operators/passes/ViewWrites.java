package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Aliases;

/** Writes into parts of a tensor, {@code x[:, 1:] = y}, as a new tensor with those parts replaced. */
final class ViewWrites {
    private static final FunctionSchema SLICE = OperatorRegistry.standard().find("aten::slice_scatter").schema();
    private static final FunctionSchema SELECT = OperatorRegistry.standard().find("aten::select_scatter").schema();
    private static final FunctionSchema EXPAND = OperatorRegistry.standard().find("aten::expand_as").schema();
    private static final FunctionSchema TYPE = OperatorRegistry.standard().find("aten::type_as").schema();

    private ViewWrites() {
    }

    /**
     * Rewrites a write into a view where nobody can tell: the viewed tensor was made in the same block and shares memory with nothing but
     * views of it, of which none that was made before the write is read after it, but those that lead to what is written.
     *
     * @param twin  the operator that computes what is written, or null for {@code copy_}
     * @param after whether the second node runs after the first
     */
    static boolean rewrite(Aliases aliases, Node node, FunctionSchema twin, BiPredicate<Node, Node> after) {
        List<Node> views = new ArrayList<>();
        Value at = node.input(0);
        while (isView(at.definition()) && at.definition().owner() == node.owner()) {
            views.add(at.definition());
            at = at.definition().input(0);
        }
        Value root = at;
        if (views.isEmpty() || root.definition() == null || root.definition().owner() != node.owner() || node.outputs().size() != 1
            || root.definition().is("prim::Constant") || root.definition().is("prim::GetAttr")) {
            return false;
        }
        Set<Value> chain = new HashSet<>();
        views.forEach(view -> chain.add(view.output()));
        for (Value alias : aliases.of(root)) {
            boolean owned = alias.definition() != null && !alias.definition().is("prim::Constant") && !alias.definition().is("prim::GetAttr");
            if (!owned || Functionalize.isReadThroughList(alias, node)) {
                return false;
            }
            boolean readAfter = alias.uses().stream().anyMatch(use -> after.test(node, use.user()));
            boolean madeAfter = after.test(node, alias.definition());
            if (alias != root && alias != node.output() && !chain.contains(alias) && readAfter && !madeAfter) {
                return false;
            }
        }
        Value made = written(node, twin);
        for (Node view : views) {
            made = replaced(node, view, made);
        }
        Value part = viewed(node, views, made, after);
        node.output().replaceAllUsesWith(part);
        for (Value.Use use : List.copyOf(root.uses())) {
            if (after.test(node, use.user())) {
                use.user().setInput(use.index(), made);
            }
        }
        node.destroy();
        return true;
    }

    private static boolean isView(Node node) {
        return node != null && node.schema() != null && (node.is("aten::slice") || node.is("aten::select")) && node.input(0).type() == Type.Basic.TENSOR;
    }

    /** What is written, of the view's shape and dtype. */
    private static Value written(Node node, FunctionSchema twin) {
        Value view = node.input(0);
        if (twin == null) {
            return add(node, TYPE, List.of(add(node, EXPAND, List.of(node.input(1), view)), view));
        }
        return add(node, twin, node.inputs());
    }

    /** Lets what reads views of the old root after the write read views of the new one; the last view is that of the root. Returns the first. */
    private static Value viewed(Node before, List<Node> views, Value root, BiPredicate<Node, Node> after) {
        Value at = root;
        for (int i = views.size() - 1; i >= 0; i--) {
            Node view = views.get(i);
            List<Value> arguments = new ArrayList<>(view.inputs());
            arguments.set(0, at);
            at = add(before, view.schema(), arguments);
            for (Value.Use use : List.copyOf(view.output().uses())) {
                if (after.test(before, use.user())) {
                    use.user().setInput(use.index(), at);
                }
            }
        }
        return at;
    }

    private static Value replaced(Node before, Node view, Value part) {
        List<Value> arguments = new ArrayList<>(view.inputs());
        arguments.add(1, part);
        return add(before, view.is("aten::slice") ? SLICE : SELECT, arguments);
    }

    private static Value add(Node before, FunctionSchema schema, List<Value> arguments) {
        Node made = before.graph().create(schema.name()).schema(schema).range(before.range());
        arguments.forEach(made::addInput);
        before.owner().insertBefore(before, made);
        return made.addOutput(Type.Basic.TENSOR);
    }
}
