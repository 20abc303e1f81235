package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.StridedView;
import org.torchnnapi.program.op.TransposeOp;

/**
 * Makes two transpositions with nothing but other shapes between them one, and none if the second undoes the first.
 * Those of images stay that are no work, as {@link TransposeOp} has them.
 */
final class TransposeFusion implements Pass {
    @Override
    public void run(MutableGraph draft) {
        boolean merged = true;
        while (merged) {
            merged = new Merging(draft).run();
        }
    }

    private static final class Merging extends MutableGraphRewriting {
        Merging(MutableGraph draft) {
            super(draft);
        }

        /** Returns whether there was anything to merge. */
        boolean run() {
            boolean changed = false;
            List<OpGraph.Node> out = new ArrayList<>();
            for (OpGraph.Node node : nodes) {
                List<OpGraph.Node> merged = node.op() instanceof TransposeOp last ? merged(node, last) : null;
                if (merged == null) {
                    out.add(node);
                } else {
                    out.addAll(merged);
                    changed = true;
                }
            }
            draft.replace(out);
            return changed;
        }

        private List<OpGraph.Node> merged(OpGraph.Node node, TransposeOp last) {
            int[] shape = draft.type(node.inputs()[0]).shape();
            int value = node.inputs()[0];
            OpGraph.Node before = made(value);
            while (before != null && before.op() instanceof ReshapeOp && uses[value] == 1) {
                value = before.inputs()[0];
                before = made(value);
            }
            if (before == null
                    || !(before.op() instanceof TransposeOp first)
                    || uses[value] != 1
                    || value == node.inputs()[0] && first.permutation().length == 4) {
                return null;
            }
            int source = before.inputs()[0];
            StridedView view = StridedView.of(draft.type(source))
                    .turned(first.permutation())
                    .shaped(shape);
            return view == null
                    ? null
                    : ViewLayout.nodes(draft, source, view.turned(last.permutation()), node.output());
        }
    }
}
