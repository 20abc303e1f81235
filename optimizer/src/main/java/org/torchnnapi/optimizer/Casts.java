package org.torchnnapi.optimizer;

import java.util.HashMap;
import java.util.List;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Puts casts back that passes took out: a reader of the written graph derives types anew and takes no optional where a
 * value is asked for.
 */
final class Casts {
    private final Graph graph;

    private Casts(Graph graph) {
        this.graph = graph;
    }

    /** @param result declared type of what the graph returns */
    static void restore(Graph graph, Type result) {
        Casts casts = new Casts(graph);
        casts.block(graph.block());
        casts.cast(graph.block().returns(), 0, result);
    }

    private void block(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            FunctionSchema schema = node.schema();
            for (int i = 0; i < node.inputs().size(); i++) {
                if (schema != null && i < schema.arguments().size()) {
                    Type formal = schema.arguments().get(i).type();
                    // An element that is put into a list.
                    boolean isElement = i > 0
                            && formal instanceof Type.Variable
                            && node.input(0).type() instanceof Type.ListType;
                    cast(node, i, isElement ? ((Type.ListType) node.input(0).type()).element() : formal);
                } else if (node.is(Prim.LIST_CONSTRUCT) && node.output().type() instanceof Type.ListType list) {
                    cast(node, i, list.element());
                } else if (node.is(Prim.LOOP) && i >= 2) {
                    cast(node, i, node.output(i - 2).type());
                }
            }
            int skipped = node.is(Prim.LOOP) ? 1 : 0;
            for (Block inner : node.blocks()) {
                block(inner);
                for (int i = 0; i < node.outputs().size() && !node.is(Prim.FORK); i++) {
                    cast(inner.returns(), i + skipped, node.output(i).type());
                }
            }
        }
    }

    private void cast(Node user, int input, Type wanted) {
        Value value = user.input(input);
        boolean isOpen = value.type() instanceof Type.OptionalType || value.type() instanceof Type.UnionType;
        boolean isOptional =
                wanted instanceof Type.OptionalType || wanted instanceof Type.Variable || wanted == Type.Basic.ANY;
        if (!isOpen || isOptional || TypeRelations.isSubtype(value.type(), wanted)) {
            return;
        }
        Type type = value.type() instanceof Type.OptionalType optional
                ? optional.element()
                : member((Type.UnionType) value.type(), wanted);
        if (TypeRelations.hasVariables(type) || type == Type.Basic.NUMBER) {
            return;
        }
        Node cast = graph.create(Prim.UNCHECKED_CAST, List.of(value), type).range(user.range());
        user.owner().insertBefore(user, cast);
        user.setInput(input, cast.output());
    }

    /** The type among several that a list or dictionary of any elements is asked for, or what is asked for itself. */
    private static Type member(Type.UnionType union, Type wanted) {
        if (TypeRelations.hasVariables(wanted)) {
            for (Type member : union.members()) {
                if (member.getClass() == wanted.getClass() && TypeRelations.bind(wanted, member, new HashMap<>())) {
                    return member;
                }
            }
        }
        return wanted;
    }
}
