package org.torchnnapi.operators.passes;

import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** In which order a graph's nodes run: each has a place, and in loops what comes before may run after, too. */
final class NodeOrder {
    /** Before all nodes, and behind them. */
    static final int START = -1;

    static final int END = Integer.MAX_VALUE;

    private final Map<Node, Integer> places = new IdentityHashMap<>();
    private final Map<Node, Integer> ends = new IdentityHashMap<>();
    private int next;

    NodeOrder(Graph graph) {
        number(graph.block());
    }

    private void number(Block block) {
        for (Node node : block.nodes()) {
            places.put(node, next++);
            node.blocks().forEach(this::number);
            ends.put(node, next++);
        }
        places.put(block.returns(), next++);
    }

    /** Where a node begins to run. */
    int place(Node node) {
        return places.get(node);
    }

    /** Where a node, with all in its blocks, has run. */
    int end(Node node) {
        return ends.get(node);
    }

    /**
     * Whether a node may run after another has written, to memory that both know as one of these values: of values that
     * are made in each turn of a loop anew, the next turn knows nothing.
     */
    boolean mayFollow(Node write, Node use, Value one, Value other) {
        if (place(use) > place(write)) {
            return true;
        }
        for (Block block = write.owner();
                block.parent() != null;
                block = block.parent().owner()) {
            if (block.parent().is("prim::Loop")
                    && isWithin(use, block)
                    && !(isMadeIn(one, block) && isMadeIn(other, block))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a value is a parameter or a result of what a block, or one in it, holds; null is no value. */
    static boolean isMadeIn(Value value, Block block) {
        if (value == null) {
            return false;
        }
        Block at = value.definition() != null ? value.definition().owner() : value.parameterOf();
        while (at != block && at.parent() != null) {
            at = at.parent().owner();
        }
        return at == block;
    }

    static boolean isWithin(Node node, Block block) {
        Block at = node.owner();
        while (at != block && at.parent() != null) {
            at = at.parent().owner();
        }
        return at == block;
    }
}
