package org.torchnnapi.torchscript.print;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;

/** Where values are first used, as the nodes of a graph stand one after the other. */
final class UseOrder {
    private final Map<Node, Integer> positions = new IdentityHashMap<>();
    private final Map<Node, List<Integer>> orders = new IdentityHashMap<>();

    void add(Block block) {
        for (Node node : block.nodes()) {
            positions.put(node, positions.size());
            node.blocks().forEach(this::add);
        }
        positions.put(block.returns(), positions.size());
    }

    /** The outputs of a node by their first use, those without any last. */
    List<Integer> order(Node node) {
        List<Integer> order = orders.get(node);
        if (order == null) {
            order = new ArrayList<>();
            long[] first = new long[node.outputs().size()];
            for (int i = 0; i < first.length; i++) {
                order.add(i);
                first[i] = first(node.output(i));
            }
            order.sort((a, b) -> Long.compare(first[a], first[b]));
            orders.put(node, order);
        }
        return order;
    }

    private long first(Value value) {
        long first = Long.MAX_VALUE;
        for (Value.Use use : value.uses()) {
            first = Math.min(
                    first, ((long) positions.getOrDefault(use.user(), Integer.MAX_VALUE - 1) << 16) + place(use));
        }
        return first;
    }

    /**
     * Where a use stands in its line: what a loop starts with and what a block ends with is written in the order of the
     * outputs.
     */
    private int place(Value.Use use) {
        Node user = use.user();
        if (user.is(Prim.LOOP) && use.index() >= 2) {
            return 2 + order(user).indexOf(use.index() - 2);
        }
        Node parent = user.is(Prim.RETURN) ? user.owner().parent() : null;
        if (parent == null || parent.outputs().isEmpty() || parent.is(Prim.FORK)) {
            return use.index();
        }
        int skipped = parent.is(Prim.LOOP) ? 1 : 0;
        return use.index() < skipped ? use.index() : skipped + order(parent).indexOf(use.index() - skipped);
    }
}
