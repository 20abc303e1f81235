package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.AttentionOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.MaskedFillOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.SoftmaxOp;
import org.torchnnapi.program.op.StridedView;
import org.torchnnapi.program.op.TransposeOp;

/**
 * Makes two matrix products one operation that have a softmax over the rows of the first's result between them, and
 * before that functions of its elements that keep its shape, such as a scale and masks; none of it may have another
 * use. Transpositions and slices before and behind it, as heads need them, become the order in which it reads and
 * writes, where that leaves columns adjacent.
 */
final class AttentionFusion implements Pass {
    @Override
    public void run(MutableGraph draft) {
        if (draft.nodes().stream().anyMatch(node -> node.op() instanceof SoftmaxOp)) {
            Search search = new Search(draft);
            for (int i = 0; i < search.nodes.size(); i++) {
                search.at(i);
            }
            draft.replace(search.all());
        }
    }

    /** Elements of a value that is there. */
    private record Viewed(int value, StridedView view) {}

    /**
     * Scores on their way from the first product to the softmax.
     *
     * @param product that makes them
     * @param operands one for each change
     */
    private record Scores(OpGraph.Node product, float scale, List<AttentionOp.Change> changes, List<Integer> operands) {
        Scores scaled(float factor) {
            return new Scores(product, scale * factor, changes, operands);
        }

        Scores changed(AttentionOp.Change change, int operand) {
            List<AttentionOp.Change> more = new ArrayList<>(changes);
            List<Integer> others = new ArrayList<>(operands);
            more.add(change);
            others.add(operand);
            return new Scores(product, scale, more, others);
        }
    }

    private static final class Search extends MutableGraphRewriting {
        /** What lays out keys, by the node that needs them so. */
        private final Map<Integer, List<OpGraph.Node>> before = new HashMap<>();

        Search(MutableGraph draft) {
            super(draft);
        }

        /** Looks at a product as the last step. */
        void at(int position) {
            OpGraph.Node node = nodes.get(position);
            if (node == null
                    || !(node.op() instanceof MatrixProductOp sums)
                    || sums.alpha() != 1
                    || sums.transposeB()) {
                return;
            }
            OpGraph.Node softmax = only(node.inputs()[0]);
            if (softmax == null || !isOfRows(softmax)) {
                return;
            }
            Scores scores = scores(softmax.inputs()[0]);
            if (scores != null) {
                replace(position, (SoftmaxOp) softmax.op(), scores);
            }
        }

        private boolean isOfRows(OpGraph.Node node) {
            int last = draft.type(node.output()).rank() - 1;
            return node.op() instanceof SoftmaxOp softmax
                    && !softmax.logarithm()
                    && Math.floorMod(softmax.axis(), last + 1) == last;
        }

        /** What makes a value of one use, under whatever shape of the same matrices; null if it has others. */
        private OpGraph.Node only(int value) {
            int at = producer(value, 1);
            OpGraph.Node node = at < 0 ? null : nodes.get(at);
            return node != null && node.op() instanceof ReshapeOp && keepsMatrices(node.inputs()[0], value)
                    ? only(node.inputs()[0])
                    : node;
        }

        private boolean keepsMatrices(int a, int b) {
            int[] from = draft.type(a).shape();
            int[] to = draft.type(b).shape();
            return from.length >= 2
                    && to.length >= 2
                    && from[from.length - 1] == to[to.length - 1]
                    && from[from.length - 2] == to[to.length - 2];
        }

        /** How a value becomes of a product; null if it is something else, or used for something else too. */
        private Scores scores(int value) {
            OpGraph.Node node = only(value);
            if (node == null) {
                return null;
            }
            if (node.op() instanceof MatrixProductOp product) {
                return new Scores(node, product.alpha(), List.of(), List.of());
            }
            int[] inputs = node.inputs();
            if (node.op() instanceof MaskedFillOp) {
                Scores before = scores(inputs[0]);
                return before == null ? null : changed(before, node, inputs[1]);
            }
            if (!(node.op() instanceof BinaryMathOp binary)) {
                return null;
            }
            boolean turns = binary.op() == BinaryOp.MUL || binary.op() == BinaryOp.ADD;
            for (int side = 0; side < (turns ? 2 : 1); side++) {
                boolean keeps = draft.type(inputs[side]).equals(draft.type(node.output()));
                Scores before = keeps ? scores(inputs[side]) : null;
                if (before != null) {
                    float factor = before.changes.isEmpty() ? factor(binary, inputs[1 - side]) : Float.NaN;
                    return Float.isFinite(factor) ? before.scaled(factor) : changed(before, node, inputs[1 - side]);
                }
            }
            return null;
        }

        private Scores changed(Scores before, OpGraph.Node node, int operand) {
            return before.changed(
                    new AttentionOp.Change(node.op(), draft.type(node.output()).shape()), operand);
        }

        /** What a product or quotient multiplies by; NaN if it is none with a number, or limited. */
        private float factor(BinaryMathOp binary, int number) {
            return !binary.clamp().isNone()
                    ? Float.NaN
                    : binary.op() == BinaryOp.MUL
                            ? scalar(number)
                            : binary.op() == BinaryOp.DIV ? 1 / scalar(number) : Float.NaN;
        }

        private void replace(int position, SoftmaxOp softmax, Scores scores) {
            OpGraph.Node last = nodes.get(position);
            float scale = scores.scale;
            int queries = scores.product.inputs()[0];
            OpGraph.Node scaled = made(queries);
            if (scaled != null
                    && scaled.op() instanceof BinaryMathOp binary
                    && draft.type(scaled.inputs()[0]).equals(draft.type(queries))
                    && Float.isFinite(factor(binary, scaled.inputs()[1]))) {
                scale *= factor(binary, scaled.inputs()[1]);
                queries = scaled.inputs()[0];
            }
            Viewed query = rows(queries);
            Viewed key = keys(position, scores.product);
            Viewed value = rows(last.inputs()[1]);
            OpGraph.Node end = turned(last);
            AttentionOp attention = new AttentionOp(
                    query.view,
                    key.view,
                    value.view,
                    scale,
                    scores.changes,
                    softmax,
                    out(end),
                    draft.type(end.output()).shape());
            List<Integer> inputs = new ArrayList<>(List.of(query.value, key.value, value.value));
            inputs.addAll(scores.operands);
            nodes.set(producers[end.output()], null);
            // What else is left out has no uses any more.
            nodes.set(
                    position,
                    new OpGraph.Node(
                            attention,
                            inputs.stream().mapToInt(Integer::intValue).toArray(),
                            end.output()));
        }

        /** The matrices of a value where they come from, if their columns are adjacent there. */
        private Viewed rows(int value) {
            Viewed viewed = viewed(value);
            return viewed.view.hasAdjacentColumns() ? viewed : dense(value);
        }

        /** What queries are multiplied by, laid out anew if its columns are not adjacent where it comes from. */
        private Viewed keys(int position, OpGraph.Node product) {
            int value = product.inputs()[1];
            boolean turned = ((MatrixProductOp) product.op()).transposeB();
            Viewed keys = turned ? columns(viewed(value)) : viewed(value);
            if (keys.view.hasAdjacentColumns()) {
                return keys;
            }
            int laid = draft.add(ValueType.floats(keys.view.shape()), null, null);
            List<OpGraph.Node> layout = ViewLayout.nodes(draft, keys.value, keys.view, laid);
            if (layout == null && !turned) {
                return dense(value);
            }
            before.put(
                    position,
                    layout == null ? ViewLayout.nodes(draft, value, columns(dense(value)).view, laid) : layout);
            return dense(laid);
        }

        private static Viewed columns(Viewed rows) {
            int[] turn = IntStream.range(0, rows.view.shape().length).toArray();
            turn[turn.length - 1]--;
            turn[turn.length - 2]++;
            return new Viewed(rows.value, rows.view.turned(turn));
        }

        private Viewed dense(int value) {
            return new Viewed(value, StridedView.of(draft.type(value)));
        }

        /** What a value is of another one, as far back as nothing but the places of its elements changes. */
        private Viewed viewed(int value) {
            OpGraph.Node node = made(value);
            if (node == null
                    || !(node.op() instanceof ReshapeOp
                            || node.op() instanceof TransposeOp
                            || node.op() instanceof SliceOp)) {
                return dense(value);
            }
            Viewed source = viewed(node.inputs()[0]);
            StridedView view = node.op() instanceof ReshapeOp reshape
                    ? source.view.shaped(reshape.shape())
                    : node.op() instanceof TransposeOp transpose
                            ? source.view.turned(transpose.permutation())
                            : source.view.sliced((SliceOp) node.op());
            return view == null ? dense(value) : new Viewed(source.value, view);
        }

        /** The only user of a product, if that turns its matrices and leaves their columns; else the product. */
        private OpGraph.Node turned(OpGraph.Node product) {
            OpGraph.Node user = user(product.output());
            while (user != null && user.op() instanceof ReshapeOp && keepsMatrices(user.inputs()[0], user.output())) {
                user = user(user.output());
            }
            boolean turns = user != null
                    && user.op() instanceof TransposeOp transpose
                    && keepsMatrices(user.inputs()[0], product.output())
                    && transpose.permutation()[transpose.permutation().length - 1]
                            == transpose.permutation().length - 1;
            return turns ? user : product;
        }

        private OpGraph.Node user(int value) {
            for (int i = uses[value] == 1 ? producers[value] + 1 : nodes.size(); i < nodes.size(); i++) {
                OpGraph.Node node = nodes.get(i);
                if (node != null && IntStream.of(node.inputs()).anyMatch(input -> input == value)) {
                    return node;
                }
            }
            return null;
        }

        /** Where the product's matrices lie in a result that turns them, or is them. */
        private StridedView out(OpGraph.Node end) {
            StridedView dense = StridedView.of(draft.type(end.output()));
            if (!(end.op() instanceof TransposeOp transpose)) {
                return dense;
            }
            int[] back = new int[transpose.permutation().length];
            for (int i = 0; i < back.length; i++) {
                back[transpose.permutation()[i]] = i;
            }
            return dense.turned(back);
        }

        /** The nodes, each behind those that lay out its keys. */
        List<OpGraph.Node> all() {
            List<OpGraph.Node> all = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                all.addAll(before.getOrDefault(i, List.of()));
                all.add(nodes.get(i));
            }
            return all;
        }
    }
}
