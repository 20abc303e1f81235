package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** A draft's nodes while a pass looks for what was written out in several and makes it one. */
abstract class MutableGraphRewriting {
    private static final int[][] NONE = {};

    final MutableGraph draft;
    final int[] uses;
    final int[] producers;
    /** Those that have become part of another are null. */
    final List<OpGraph.Node> nodes;

    MutableGraphRewriting(MutableGraph draft) {
        this.draft = draft;
        uses = draft.uses();
        producers = draft.producers();
        nodes = new ArrayList<>(draft.nodes());
    }

    /** The position of the node that makes a value of so many uses; -1 if there is none. */
    final int producer(int value, int count) {
        int at = uses[value] == count ? producers[value] : -1;
        return at >= 0 && nodes.get(at) != null ? at : -1;
    }

    /**
     * Both orders of the operands of a function of two values, without limits; none if something else makes the value.
     */
    final int[][] sides(int value, BinaryOp op) {
        OpGraph.Node node = made(value, op);
        return node == null
                ? NONE
                : new int[][] {{node.inputs()[0], node.inputs()[1]}, {node.inputs()[1], node.inputs()[0]}};
    }

    /** What makes a value, whatever its name, as a function of two, without limits; null if something else does. */
    final OpGraph.Node made(int value, BinaryOp op) {
        OpGraph.Node node = made(whole(value));
        return node != null
                        && node.op() instanceof BinaryMathOp binary
                        && binary.op() == op
                        && binary.clamp().isNone()
                ? node
                : null;
    }

    /** What a function is applied to; -1 if the value is no result of it. */
    final int applied(int value, UnaryOp op) {
        OpGraph.Node node = made(whole(value));
        return node != null && node.op() instanceof UnaryMathOp unary && unary.op() == op
                ? whole(node.inputs()[0])
                : -1;
    }

    /** The value that has another name for it, of the same shape; -1 for no value. */
    final int whole(int value) {
        int at = value;
        for (OpGraph.Node node = made(at);
                node != null
                        && node.op() instanceof ReshapeOp
                        && draft.type(node.inputs()[0]).equals(draft.type(at));
                node = made(at)) {
            at = node.inputs()[0];
        }
        return at;
    }

    /** The node that makes a value; null if it comes from outside, or for no value. */
    final OpGraph.Node made(int value) {
        return value < 0 || producers[value] < 0 ? null : nodes.get(producers[value]);
    }

    /** The only element of a constant; NaN if it is no such. */
    final float scalar(int value) {
        return draft.constant(value) instanceof float[] floats && floats.length == 1 ? floats[0] : Float.NaN;
    }
}
