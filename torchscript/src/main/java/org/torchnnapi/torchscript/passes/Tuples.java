package org.torchnnapi.torchscript.passes;

import java.util.List;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/** Connects whoever takes a tuple or list apart with whoever put it together. */
public final class Tuples {
    private Tuples() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return EachNode.over(graph, node -> switch (node.kind()) {
            case Prim.TUPLE_UNPACK, Prim.LIST_UNPACK -> unpack(node);
            case Prim.TUPLE_INDEX, "aten::__getitem__" -> index(node);
            case Prim.UNCHECKED_CAST -> forward(node);
            default -> false;
        });
    }

    private static boolean unpack(Node node) {
        Node source = node.input(0).definition();
        if (!isFixed(node.input(0)) || source.inputs().size() != node.outputs().size()) {
            return false;
        }
        for (int i = 0; i < node.outputs().size(); i++) {
            node.output(i).replaceAllUsesWith(source.input(i));
        }
        node.destroy();
        return true;
    }

    private static boolean index(Node node) {
        var literal = Literals.of(node.input(1));
        if (!isFixed(node.input(0)) || !literal.isPresent() || !(literal.get().value() instanceof Long at)) {
            return false;
        }
        List<Value> items = node.input(0).definition().inputs();
        long wrapped = at < 0 ? at + items.size() : at;
        if (wrapped < 0 || wrapped >= items.size()) {
            return false;
        }
        node.output().replaceAllUsesWith(items.get((int) wrapped));
        node.destroy();
        return true;
    }

    private static boolean forward(Node node) {
        Value input = node.input(0);
        Node source = input.definition();
        if (source == null) {
            return false;
        }
        // A constant may be declared as more than it is. Code that is printed again must say what an optional value is
        // taken for, and in a branch that is
        // never taken a constant may be taken for what it is not.
        Type type = source.is(Prim.CONSTANT) ? RuntimeTypes.of(source.attribute("value")) : input.type();
        if (!TypeRelations.isSubtype(type, node.output().type())) {
            return false;
        }
        node.output().replaceAllUsesWith(input);
        node.destroy();
        return true;
    }

    private static boolean isFixed(Value container) {
        Node source = container.definition();
        return source != null
                && (source.is(Prim.TUPLE_CONSTRUCT)
                        || source.is(Prim.LIST_CONSTRUCT) && !Literals.isMutated(container));
    }
}
