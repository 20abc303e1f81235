package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Takes branches whose condition is known, and unrolls short loops whose trip count is known. */
public final class ControlFlowFolding {
    /** Loops are unrolled only while the copies stay below this many nodes. */
    private static final long MAX_UNROLLED_NODES = 20_000;
    /** No loop is unrolled that would make the whole graph larger than this. */
    private static final long MAX_NODES = 100_000;

    private long room;

    private ControlFlowFolding(long room) {
        this.room = room;
    }

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return new ControlFlowFolding(MAX_NODES - size(graph.block())).run(graph.block());
    }

    private boolean run(Block block) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            // Inner blocks first: what they hold moves out with its own branches taken.
            for (Block inner : node.blocks()) {
                changed |= run(inner);
            }
            if (node.is(Prim.IF) && Literals.orNull(node.input(0)) instanceof Boolean condition) {
                take(node, node.blocks().get(condition ? 0 : 1));
                changed = true;
            } else if (node.is(Prim.LOOP) && node.attribute(Node.STAYS) == null && unroll(node)) {
                changed = true;
            }
        }
        return changed;
    }

    /** Puts the branch that is taken in the place of its {@code prim::If}. */
    public static void take(Node node, Block branch) {
        Splice.before(node, branch);
        for (int i = 0; i < node.outputs().size(); i++) {
            node.output(i).replaceAllUsesWith(branch.results().get(i));
        }
        node.destroy();
    }

    /**
     * Unrolls a loop whose trip count and initial condition are known in other ways than as literals.
     *
     * @return whether it was unrolled
     */
    public static boolean unroll(Node loop, Optional<Object> trips, Optional<Object> start) {
        return new ControlFlowFolding(MAX_NODES - size(loop.graph().block()))
                .unrolled(loop, trips.map(Literals.Literal::new), start.map(Literals.Literal::new));
    }

    private boolean unroll(Node loop) {
        return unrolled(loop, Literals.of(loop.input(0)), Literals.of(loop.input(1)));
    }

    private boolean unrolled(Node loop, Optional<Literals.Literal> trips, Optional<Literals.Literal> start) {
        if (!(trips.map(Literals.Literal::value).orElse(null) instanceof Long most)
                || !(start.map(Literals.Literal::value).orElse(null) instanceof Boolean starts)) {
            return false;
        }
        Block body = loop.blocks().get(0);
        Optional<Literals.Literal> goesOn = Literals.of(body.results().get(0));
        long count = starts ? Math.max(0, most) : 0;
        boolean endless = goesOn.isPresent() && Boolean.TRUE.equals(goesOn.get().value());
        long copies = count > MAX_UNROLLED_NODES ? Long.MAX_VALUE : count * size(body);
        if (count > 0 && (!endless || copies > Math.min(MAX_UNROLLED_NODES, room))) {
            return false;
        }
        room -= copies;
        Graph graph = loop.graph();
        List<Value> carried =
                new ArrayList<>(loop.inputs().subList(2, loop.inputs().size()));
        for (long i = 0; i < count; i++) {
            Node index = loop.owner().insertBefore(loop, graph.constant(i, Type.Basic.INT));
            Map<Value, Value> values = new OuterValues();
            values.put(body.parameters().get(0), index.output());
            for (int c = 0; c < carried.size(); c++) {
                values.put(body.parameters().get(c + 1), carried.get(c));
            }
            List<Value> results = new BlockCopy(graph, values)
                    .copyInto(body, made -> loop.owner().insertBefore(loop, made));
            carried = results.subList(1, results.size());
        }
        for (int c = 0; c < carried.size(); c++) {
            loop.output(c).replaceAllUsesWith(carried.get(c));
        }
        loop.destroy();
        return true;
    }

    private static long size(Block block) {
        long size = 0;
        for (Node node : block.nodes()) {
            size++;
            for (Block inner : node.blocks()) {
                size += size(inner);
            }
        }
        return size;
    }

    /** Values from outside the loop stand for themselves. */
    private static final class OuterValues extends HashMap<Value, Value> {
        private static final long serialVersionUID = 1;

        @Override
        public Value get(Object value) {
            Value mapped = super.get(value);
            return mapped != null ? mapped : (Value) value;
        }
    }
}
