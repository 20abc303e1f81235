package org.torchnnapi.program.internal;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.GroupNormOp;
import org.torchnnapi.program.op.LayerNormOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.UnaryMathOp;

/**
 * Finds {@code (x - mean) / sqrt(mean((x - mean)^2) + epsilon)} where it was written out, as converters do for NNAPI,
 * which has no layer norm, and makes it one operation, with a product and a sum behind it: over the last axes a layer
 * norm, over height and width of images whose channels come last an instance norm.
 */
final class NormPatternFusion implements Pass {
    @Override
    public void run(MutableGraph draft) {
        if (draft.nodes().stream().anyMatch(node -> node.op() instanceof ReduceOp)) {
            Search search = new Search(draft);
            for (int i = 0; i < search.nodes.size(); i++) {
                search.at(i);
            }
            draft.replace(search.nodes);
        }
    }

    /**
     * A norm without factors.
     *
     * @param x what is normalized
     * @param count of rows elements together, or channels of images
     */
    private record Norm(int x, boolean images, int count, float epsilon) {
        Op op(float[] scale, float[] shift) {
            return images
                    ? new GroupNormOp(ImageLayout.NHWC, count, epsilon, scale, shift)
                    : new LayerNormOp(count, epsilon, scale, shift);
        }
    }

    private static final class Search extends MutableGraphRewriting {
        Search(MutableGraph draft) {
            super(draft);
        }

        /** Looks at a product as the last step of a norm. */
        void at(int position) {
            OpGraph.Node node = nodes.get(position);
            Norm norm = norm(node.output());
            if (norm == null) {
                return;
            }
            int value = node.output();
            float[] scale = null;
            float[] shift = null;
            int user = only(value, BinaryOp.MUL);
            if (user >= 0 && along(user, value, norm) != null) {
                scale = along(user, value, norm);
                value = nodes.get(user).output();
            }
            user = only(value, BinaryOp.ADD);
            if (user >= 0 && along(user, value, norm) != null) {
                shift = along(user, value, norm);
                value = nodes.get(user).output();
            }
            // What is left out has no uses any more.
            nodes.set(producers[value], new OpGraph.Node(norm.op(scale, shift), new int[] {norm.x}, value));
        }

        private Norm norm(int product) {
            for (int[] sides : sides(product, BinaryOp.MUL)) {
                OpGraph.Node difference = made(sides[0], BinaryOp.SUB);
                OpGraph.Node root = made(whole(sides[1]));
                boolean is = difference != null
                        && root != null
                        && root.op() instanceof UnaryMathOp unary
                        && unary.op() == UnaryOp.RSQRT
                        && draft.type(sides[0]).equals(draft.type(product));
                for (int[] sum : is ? sides(whole(root.inputs()[0]), BinaryOp.ADD) : new int[0][]) {
                    float epsilon = scalar(sum[1]);
                    Norm norm = epsilon > 0 ? norm(whole(sides[0]), difference, mean(sum[0])) : null;
                    if (norm != null) {
                        return new Norm(norm.x, norm.images, norm.count, epsilon);
                    }
                }
            }
            return null;
        }

        /** @param variance the mean of the difference's squares */
        private Norm norm(int centred, OpGraph.Node difference, OpGraph.Node variance) {
            OpGraph.Node mean = mean(difference.inputs()[1]);
            OpGraph.Node square = variance == null ? null : made(variance.inputs()[0], BinaryOp.MUL);
            boolean is = mean != null
                    && square != null
                    && whole(mean.inputs()[0]) == whole(difference.inputs()[0])
                    && whole(square.inputs()[0]) == centred
                    && whole(square.inputs()[1]) == centred;
            int x = difference.inputs()[0];
            ValueType type = draft.type(x);
            int[] axes = is ? axes(mean, type.rank()) : null;
            if (!is || !type.equals(draft.type(centred)) || !Arrays.equals(axes, axes(variance, type.rank()))) {
                return null;
            }
            if (axes[axes.length - 1] == type.rank() - 1 && axes.length == type.rank() - axes[0]) {
                return new Norm(x, false, type.count(axes[0], type.rank()), 0);
            }
            return type.rank() == 4 && Arrays.equals(axes, new int[] {1, 2})
                    ? new Norm(x, true, type.dimension(3), 0)
                    : null;
        }

        /** What takes means along axes that stay; null if nothing does. */
        private OpGraph.Node mean(int value) {
            OpGraph.Node node = made(whole(value));
            return node != null
                            && node.op() instanceof ReduceOp reduce
                            && reduce.reduction() == ReductionKernel.MEAN
                            && reduce.keep()
                    ? node
                    : null;
        }

        private static int[] axes(OpGraph.Node mean, int rank) {
            return Arrays.stream(((ReduceOp) mean.op()).axes())
                    .map(axis -> Math.floorMod(axis, rank))
                    .sorted()
                    .toArray();
        }

        /** The only user of a value, a function of it and another one; -1 if it is something else. */
        private int only(int value, BinaryOp op) {
            if (uses[value] != 1) {
                return -1;
            }
            for (int i = producers[value] + 1; i < nodes.size(); i++) {
                OpGraph.Node node = nodes.get(i);
                if (Arrays.stream(node.inputs()).anyMatch(input -> input == value)) {
                    return node.op() instanceof BinaryMathOp binary
                                    && binary.op() == op
                                    && binary.clamp().isNone()
                            ? i
                            : -1;
                }
            }
            return -1;
        }

        /**
         * The constant that a user of a value takes beside it, one element for each that is normalized or for each
         * channel; null if it is none.
         */
        private float[] along(int user, int value, Norm norm) {
            int[] inputs = nodes.get(user).inputs();
            int other = inputs[0] == value ? inputs[1] : inputs[0];
            int[] shape = draft.type(value).shape();
            int[] own = draft.type(other).shape();
            // Of channels the last axis, or the axes that are normalized together; of one element alone none.
            int last = 0;
            for (int count = 1; count < norm.count; last++) {
                count *= shape[shape.length - 1 - last];
            }
            boolean fits = own.length <= shape.length
                    && own.length >= last
                    && draft.type(nodes.get(user).output()).equals(draft.type(value));
            for (int i = 1; fits && i <= own.length; i++) {
                fits = own[own.length - i] == (i <= last ? shape[shape.length - i] : 1);
            }
            return fits && draft.constant(other) instanceof float[] constant ? constant.clone() : null;
        }
    }
}
