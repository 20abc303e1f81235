package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * What is in lists that code appends to, as far as a walk through the graph has come: who reads such a list reads one made of
 * its items there.
 */
final class ListContents {
    /** What became of a node. */
    enum Change {
        /** It has nothing to do with lists that grow, or only reads one. */
        NONE,
        /** It is followed here, and can go. */
        DONE,
        /** It does with a list what cannot be followed. */
        OPAQUE
    }

    private final Graph graph;
    private final Map<Value, List<Value>> lists = new IdentityHashMap<>();
    private final Set<Value> held = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Value, Value> items = new IdentityHashMap<>();
    private final Map<Node, Integer> lengths = new IdentityHashMap<>();
    private final Map<Node, Map<Integer, List<Value>>> reads = new IdentityHashMap<>();

    ListContents(Graph graph) {
        this.graph = graph;
    }

    /** Whether a value was put into a list, where it may be read later. */
    boolean holds(Value value) {
        return held.contains(value);
    }

    /** What is in a list now, or null if it is not followed. */
    List<Value> of(Value value) {
        return lists.get(value);
    }

    /** The length that a node returned, or -1. */
    int length(Node node) {
        return lengths.getOrDefault(node, -1);
    }

    /** The item that a node returned, or null. */
    Value item(Node node) {
        return node.outputs().size() == 1 ? items.get(node.output()) : null;
    }

    /**
     * Follows a node that makes a list, or has one among its inputs.
     *
     * @param literal numbers that are known
     * @param open    lists that cannot be followed
     */
    Change visit(Node node, Function<Value, Optional<Object>> literal, Set<Value> open) {
        switch (node.kind()) {
            case "prim::ListConstruct" -> {
                if (open.contains(node.output()) || node.inputs().stream().anyMatch(lists::containsKey)) {
                    return node.inputs().stream().anyMatch(lists::containsKey) ? Change.OPAQUE : Change.NONE;
                }
                lists.put(node.output(), new ArrayList<>(node.inputs()));
                held.addAll(node.inputs());
                return Change.DONE;
            }
            case "prim::unchecked_cast" -> {
                lists.put(node.output(), lists.get(node.input(0)));
                return Change.DONE;
            }
            case "aten::append" -> {
                List<Value> list = lists.get(node.input(0));
                if (list == null || lists.containsKey(node.input(1))) {
                    return Change.OPAQUE;
                }
                list.add(node.input(1));
                held.add(node.input(1));
                lists.put(node.output(), list);
                return Change.DONE;
            }
            case "aten::len" -> {
                lengths.put(node, lists.get(node.input(0)).size());
                return Change.DONE;
            }
            case "aten::__getitem__" -> {
                List<Value> list = lists.get(node.input(0));
                if (list == null || !(literal.apply(node.input(1)).orElse(null) instanceof Long index) || index < -list.size() || index >= list.size()) {
                    return Change.OPAQUE;
                }
                items.put(node.output(), list.get((int) (index < 0 ? index + list.size() : index)));
                return Change.DONE;
            }
            default -> {
                return read(node);
            }
        }
    }

    private Change read(Node node) {
        boolean container = node.kind().startsWith("prim::") && !node.is("prim::Return") && !node.is("prim::ListUnpack");
        boolean writes = node.schema() != null && node.schema().isMutating() || node.schema() == null && !node.kind().startsWith("prim::");
        if (container || writes || !node.blocks().isEmpty()) {
            return Change.OPAQUE;
        }
        for (int i = 0; i < node.inputs().size(); i++) {
            List<Value> list = lists.get(node.input(i));
            if (list != null) {
                reads.computeIfAbsent(node, n -> new HashMap<>()).put(i, List.copyOf(list));
            }
        }
        return Change.NONE;
    }

    /**
     * Gives each reader a list of its own, and each reader of an item the item.
     *
     * @param literal the constant for a value that is known, and any other value itself
     */
    void rewrite(UnaryOperator<Value> literal) {
        reads.forEach((node, places) -> places.forEach((index, list) -> {
            Node made = graph.create("prim::ListConstruct").range(node.range());
            list.forEach(item -> made.addInput(literal.apply(item)));
            Value out = made.addOutput(node.input(index).type());
            node.owner().insertBefore(node, made);
            node.setInput(index, out);
        }));
        items.forEach((from, to) -> {
            Value item = to;
            while (items.containsKey(item)) {
                item = items.get(item);
            }
            from.replaceAllUsesWith(item);
        });
    }
}
