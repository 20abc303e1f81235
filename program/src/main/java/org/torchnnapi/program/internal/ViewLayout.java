package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.StridedView;
import org.torchnnapi.program.op.TransposeOp;

/** The operations that lay out a view: a slice and a transposition, where each is needed, between other shapes. */
final class ViewLayout {
    private final MutableGraph draft;
    private final List<OpGraph.Node> nodes = new ArrayList<>();
    /** What the nodes have made so far. */
    private int made;

    private ViewLayout(MutableGraph draft, int source) {
        this.draft = draft;
        made = source;
    }

    /**
     * The nodes that make a value of a view.
     *
     * @param output of as many elements as the view
     * @return null if the view is no slice of its source's elements in another order
     */
    static List<OpGraph.Node> nodes(MutableGraph draft, int source, StridedView view, int output) {
        int[] shape = view.shape();
        int[] steps = view.steps();
        List<Integer> axes = IntStream.range(0, shape.length)
                .filter(axis -> shape[axis] > 1)
                .boxed()
                .collect(Collectors.toList());
        List<Integer> lying = new ArrayList<>(axes);
        lying.sort((a, b) -> Integer.compare(steps[b], steps[a]));
        // Behind the axes of the view one of elements between its own, if there are any.
        boolean hasGaps = (lying.isEmpty() ? draft.type(source).count() : steps[lying.get(lying.size() - 1)]) > 1;
        int[] dims = new int[axes.size() + (hasGaps ? 1 : 0)];
        int[] begin = new int[dims.length];
        int[] size = new int[dims.length];
        int span = draft.type(source).count();
        int rest = view.offset();
        for (int i = 0; i < dims.length; i++) {
            int step = i < lying.size() ? steps[lying.get(i)] : 1;
            if (step < 1 || span % step != 0) {
                return null;
            }
            dims[i] = span / step;
            begin[i] = rest / step;
            size[i] = i < lying.size() ? shape[lying.get(i)] : 1;
            if (begin[i] + size[i] > dims[i]) {
                return null;
            }
            span = step;
            rest %= step;
        }
        int[] turn = new int[dims.length];
        Arrays.setAll(turn, i -> i < axes.size() ? lying.indexOf(axes.get(i)) : i);
        int[] ones = new int[dims.length];
        Arrays.fill(ones, 1);
        ViewLayout layout = new ViewLayout(draft, source);
        boolean isCut = !Arrays.equals(size, dims);
        boolean isTurned = !Arrays.equals(turn, IntStream.range(0, turn.length).toArray());
        if (isCut || isTurned) {
            layout.add(new ReshapeOp(dims));
        }
        if (isCut) {
            layout.add(new SliceOp(begin, size, ones));
        }
        if (isTurned) {
            layout.add(new TransposeOp(turn));
        }
        layout.nodes.add(new OpGraph.Node(new ReshapeOp(draft.type(output).shape()), new int[] {layout.made}, output));
        return layout.nodes;
    }

    private void add(Op op) {
        int result = draft.add(op.result(List.of(draft.type(made))), null, null);
        nodes.add(new OpGraph.Node(op, new int[] {made}, result));
        made = result;
    }
}
