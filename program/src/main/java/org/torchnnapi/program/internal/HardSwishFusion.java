package org.torchnnapi.program.internal;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.UnaryMathOp;

/**
 * Finds {@code x * relu6(x + 3) / 6} where it was written out, multiplied or divided in either order, and makes it one
 * function.
 */
final class HardSwishFusion implements Pass {
    private static final float SIXTH_TOLERANCE = 1e-6f;

    @Override
    public void run(MutableGraph draft) {
        Search search = new Search(draft);
        for (int i = 0; i < search.nodes.size(); i++) {
            search.at(i);
        }
        draft.replace(search.nodes);
    }

    private static final class Search extends MutableGraphRewriting {
        Search(MutableGraph draft) {
            super(draft);
        }

        void at(int last) {
            OpGraph.Node node = nodes.get(last);
            if (node == null) {
                return;
            }
            int whole = sixth(node);
            for (int side = 0; side < 2 && whole < 0 && isProduct(node); side++) {
                // x * (limited / 6)
                int x = node.inputs()[1 - side];
                int middle = producer(node.inputs()[side], 1);
                int limited = middle < 0 ? -1 : sixth(nodes.get(middle));
                if (limited >= 0 && isLimitedSum(limited, x)) {
                    join(last, middle, producer(limited, 1), x);
                    return;
                }
            }
            // (x * limited) / 6
            int middle = whole < 0 ? -1 : producer(whole, 1);
            for (int side = 0; side < 2 && middle >= 0 && isProduct(nodes.get(middle)); side++) {
                int x = nodes.get(middle).inputs()[1 - side];
                int limited = nodes.get(middle).inputs()[side];
                if (isLimitedSum(limited, x)) {
                    join(last, middle, producer(limited, 1), x);
                    return;
                }
            }
        }

        private void join(int last, int middle, int first, int x) {
            if (draft.type(x).equals(draft.type(nodes.get(last).output()))) {
                nodes.set(
                        last,
                        new OpGraph.Node(
                                new UnaryMathOp(UnaryOp.HARD_SWISH),
                                new int[] {x},
                                nodes.get(last).output()));
                nodes.set(middle, null);
                nodes.set(first, null);
            }
        }

        private static boolean isProduct(OpGraph.Node node) {
            return node.op() instanceof BinaryMathOp binary
                    && binary.op() == BinaryOp.MUL
                    && binary.clamp().isNone();
        }

        /** What a node takes the sixth part of; -1 if it does something else. */
        private int sixth(OpGraph.Node node) {
            if (!(node.op() instanceof BinaryMathOp binary) || !binary.clamp().isNone()) {
                return -1;
            }
            if (binary.op() == BinaryOp.DIV) {
                return scalar(node.inputs()[1]) == 6 ? node.inputs()[0] : -1;
            }
            for (int side = 0; side < 2 && binary.op() == BinaryOp.MUL; side++) {
                if (Math.abs(scalar(node.inputs()[side]) * 6 - 1) < SIXTH_TOLERANCE) {
                    return node.inputs()[1 - side];
                }
            }
            return -1;
        }

        private boolean isLimitedSum(int value, int x) {
            int at = producer(value, 1);
            if (at < 0
                    || !(nodes.get(at).op() instanceof BinaryMathOp sum)
                    || sum.op() != BinaryOp.ADD
                    || !sum.clamp().equals(Clamp.RELU6)) {
                return false;
            }
            int[] inputs = nodes.get(at).inputs();
            return inputs[0] == x && scalar(inputs[1]) == 3 || inputs[1] == x && scalar(inputs[0]) == 3;
        }
    }
}
