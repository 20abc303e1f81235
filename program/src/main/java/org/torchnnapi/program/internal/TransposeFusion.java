package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ReshapeOp;
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

    /** Axes of elements that lie elsewhere: how many, and how far one is from the next. */
    private record Axes(List<int[]> all) {
        static Axes of(ValueType type) {
            int[] shape = type.shape();
            List<int[]> all = new ArrayList<>();
            int step = 1;
            for (int axis = shape.length - 1; axis >= 0; axis--) {
                all.add(0, new int[] {shape[axis], step});
                step *= shape[axis];
            }
            return new Axes(all);
        }

        Axes turned(int... permutation) {
            List<int[]> turned = new ArrayList<>();
            for (int axis : permutation) {
                turned.add(all.get(axis));
            }
            return new Axes(turned);
        }

        /** The same elements under another shape; null where that needs them to be moved first. */
        Axes shaped(int... shape) {
            List<int[]> made = new ArrayList<>();
            int[] left = {1, 1};
            int next = 0;
            for (int size : shape) {
                while (left[0] < size || left[0] % size != 0) {
                    if (next == all.size()) {
                        return null;
                    }
                    int[] following = all.get(next++);
                    if (left[0] == 1) {
                        left = following.clone();
                    } else if (following[0] != 1 && left[1] == following[0] * following[1]) {
                        left = new int[] {left[0] * following[0], following[1]};
                    } else if (following[0] != 1) {
                        return null;
                    }
                }
                left = new int[] {left[0] / size, left[1]};
                made.add(new int[] {size, left[0] * left[1]});
            }
            return new Axes(made);
        }

        /** Those of more than one element. */
        List<int[]> longer() {
            List<int[]> out = new ArrayList<>(all);
            out.removeIf(axis -> axis[0] == 1);
            return out;
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
            Axes axes = Axes.of(draft.type(source)).turned(first.permutation()).shaped(shape);
            return axes == null
                    ? null
                    : turn(source, axes.turned(last.permutation()).longer(), node.output());
        }

        /** One transposition, between other shapes, from a value whose elements are to lie along these axes. */
        private List<OpGraph.Node> turn(int source, List<int[]> axes, int output) {
            List<int[]> lying = new ArrayList<>(axes);
            lying.sort((a, b) -> Integer.compare(b[1], a[1]));
            int[] permutation = axes.stream().mapToInt(lying::indexOf).toArray();
            OpGraph.Node end = new OpGraph.Node(new ReshapeOp(draft.type(output).shape()), new int[] {source}, output);
            if (Arrays.equals(
                    permutation, IntStream.range(0, permutation.length).toArray())) {
                return List.of(end);
            }
            ReshapeOp cut =
                    new ReshapeOp(lying.stream().mapToInt(axis -> axis[0]).toArray());
            TransposeOp turn = new TransposeOp(permutation);
            int parts = draft.add(cut.result(List.of(draft.type(source))), null, null);
            int turned = draft.add(turn.result(List.of(draft.type(parts))), null, null);
            return List.of(
                    new OpGraph.Node(cut, new int[] {source}, parts),
                    new OpGraph.Node(turn, new int[] {parts}, turned),
                    new OpGraph.Node(end.op(), new int[] {turned}, output));
        }
    }
}
