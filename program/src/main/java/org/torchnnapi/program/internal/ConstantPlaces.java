package org.torchnnapi.program.internal;

import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConstantGather;
import org.torchnnapi.program.op.GatherOp;

/**
 * Makes what gathers at places that are known, as converters write reflected and repeated edges, flips and rolls, a
 * pick, which leaves images as they lie; picks along several axes one after the other become one.
 */
final class ConstantPlaces implements Pass {
    @Override
    public void run(MutableGraph draft) {
        if (draft.nodes().stream().anyMatch(node -> node.op() instanceof GatherOp)) {
            new Search(draft).run();
        }
    }

    private static final class Search extends MutableGraphRewriting {
        Search(MutableGraph draft) {
            super(draft);
        }

        void run() {
            for (int i = 0; i < nodes.size(); i++) {
                if (nodes.get(i).op() instanceof GatherOp gather) {
                    picked(i, gather);
                }
            }
            for (int i = 0; i < nodes.size(); i++) {
                if (nodes.get(i) != null && nodes.get(i).op() instanceof ConstantGather pick) {
                    join(i, pick);
                }
            }
            draft.replace(nodes);
        }

        private void picked(int at, GatherOp gather) {
            OpGraph.Node node = nodes.get(at);
            ValueType in = draft.type(node.inputs()[0]);
            int axis = gather.axis() < 0 ? gather.axis() + in.rank() : gather.axis();
            boolean known =
                    draft.type(node.inputs()[1]).rank() == 1 && draft.constant(node.inputs()[1]) instanceof int[];
            if (!known) {
                return;
            }
            int[][] sources = new int[in.rank()][];
            sources[axis] = ((int[]) draft.constant(node.inputs()[1])).clone();
            for (int place : sources[axis]) {
                if (place < 0 || place >= in.dimension(axis)) {
                    return;
                }
            }
            nodes.set(at, new OpGraph.Node(new ConstantGather(sources), new int[] {node.inputs()[0]}, node.output()));
        }

        /** Joins a pick with the one that it takes from, along other axes. */
        private void join(int at, ConstantGather pick) {
            OpGraph.Node node = nodes.get(at);
            int before = producer(node.inputs()[0], 1);
            if (before < 0 || !(nodes.get(before).op() instanceof ConstantGather first)) {
                return;
            }
            int[][] sources = pick.sources().clone();
            for (int axis = 0; axis < sources.length; axis++) {
                if (sources[axis] != null && first.sources()[axis] != null) {
                    return;
                }
                sources[axis] = sources[axis] == null ? first.sources()[axis] : sources[axis];
            }
            nodes.set(
                    at,
                    new OpGraph.Node(
                            new ConstantGather(sources), nodes.get(before).inputs(), node.output()));
            nodes.set(before, null);
        }
    }
}
