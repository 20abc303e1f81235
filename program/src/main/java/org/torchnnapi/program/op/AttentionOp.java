package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * {@code softmax(change(scale * Q * K)) * V} for each matrix of a batch of floats: attention, over some queries at a
 * time, whose scores stay in the second cache and are never all there. Inputs are Q, K, V and then an operand for each
 * change.
 *
 * @param query {@code [batch..., m, k]} among the elements of input 0, columns adjacent
 * @param key {@code [batch..., k, n]} among those of input 1, columns adjacent; one matrix may serve all
 * @param value {@code [batch..., n, e]} among those of input 2, columns adjacent; one matrix may serve all
 * @param scale what the scores are multiplied by before they are changed
 * @param changes what is done to the scores, one after the other
 * @param softmax that of a row of scores, along the last axis
 * @param out where {@code [batch..., m, e]} lies among the elements of the result, columns adjacent
 * @param shape that of the result, as many elements as {@code out} has
 */
public record AttentionOp(
        StridedView query,
        StridedView key,
        StridedView value,
        float scale,
        List<Change> changes,
        SoftmaxOp softmax,
        StridedView out,
        int[] shape)
        implements Op {
    /** Queries for which it pays to bring keys and values into the order that products take. */
    private static final int LEAST_ROWS = 32;
    /** One thread's scores; they grow to the most that the thread has had and are kept. */
    private static final ThreadLocal<float[][]> SCORES = ThreadLocal.withInitial(() -> new float[1][0]);

    /**
     * What is done to scores, the first input of an operation, with a second one that is broadcast to their shape.
     *
     * @param op a {@link BinaryMathOp} or a {@link MaskedFillOp}
     * @param shape that of the scores there, {@code [..., m, n]} of as many matrices as there are queries'
     */
    public record Change(Op op, int[] shape) {
        public Change {
            if (!(op instanceof BinaryMathOp) && !(op instanceof MaskedFillOp)) {
                throw new IllegalArgumentException(
                        "change: " + op.label() + " (expected: a function of two values, or a masked fill)");
            }
        }

        private void check(int m, int n, int batch, ValueType operand) {
            ValueType scores = ValueType.floats(shape);
            int rank = shape.length;
            if (rank < 2
                    || shape[rank - 2] != m
                    || shape[rank - 1] != n
                    || scores.count(0, rank - 2) != batch
                    || !op.result(List.of(scores, operand)).equals(scores)) {
                throw new IllegalArgumentException("change: " + scores + " by " + operand + " (expected: " + batch
                        + " matrices of " + m + "x" + n + " that stay such)");
            }
        }
    }

    public AttentionOp {
        if (softmax.logarithm()) {
            throw new IllegalArgumentException("softmax: its logarithm (expected: shares)");
        }
        changes = List.copyOf(changes);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 3 + changes.size(), 3 + changes.size());
        ValueType result = ValueType.floats(shape);
        within("Q", query, Require.floats("Q", inputs.get(0)));
        within("K", key, Require.floats("K", inputs.get(1)));
        within("V", value, Require.floats("V", inputs.get(2)));
        within("result", out, result);
        int batch = query.matrices();
        boolean fits = key.rows() == query.columns()
                && value.rows() == key.columns()
                && out.rows() == query.rows()
                && out.columns() == value.columns()
                && out.matrices() == batch
                && result.count() == batch * out.rows() * out.columns();
        for (StridedView other : List.of(key, value)) {
            fits &= other.matrices() == 1 || other.matrices() == batch;
        }
        if (!fits) {
            throw new IllegalArgumentException("attention: Q " + Arrays.toString(query.shape()) + ", K "
                    + Arrays.toString(key.shape()) + ", V " + Arrays.toString(value.shape()) + ", result "
                    + Arrays.toString(out.shape()) + " (expected: [batch..., m, k], [batch..., k, n], "
                    + "[batch..., n, e] and [batch..., m, e])");
        }
        for (int i = 0; i < changes.size(); i++) {
            changes.get(i).check(query.rows(), key.columns(), batch, inputs.get(3 + i));
        }
        return result;
    }

    private static void within(String name, StridedView view, ValueType type) {
        if (view.shape().length < 2
                || !view.hasAdjacentColumns()
                || view.rowStep() < 0
                || view.first() < 0
                || view.last() >= type.count()) {
            throw new IllegalArgumentException(name + ": " + Arrays.toString(view.shape()) + " by "
                    + Arrays.toString(view.steps()) + " from " + view.offset()
                    + " (expected: matrices of adjacent columns within " + type + ")");
        }
    }

    @Override
    public Step compile(Operands operands) {
        int batch = query.matrices();
        int rows = query.rows();
        int most = tile(Machine.current().secondCache(), Machine.current().shares());
        int tiles = (rows + most - 1) / most;
        int tile = (rows + tiles - 1) / tiles;
        AttentionTiles.Products whole = new AttentionTiles.Products(this, tile);
        int rest = rows - (tiles - 1) * tile;
        AttentionTiles.Products last = rest == tile ? whole : new AttentionTiles.Products(this, rest);
        long work = (long) batch * rows * key.columns() * (query.columns() + value.columns());
        return Step.images(batch, tiles, memory -> {
                    AttentionTiles tiled = new AttentionTiles(this, operands, memory);
                    return (image, begin, end) -> {
                        float[] scores = scores(tile * key.columns());
                        for (int i = begin; i < end; i++) {
                            tiled.run(i < tiles - 1 ? whole : last, image, i * tile, scores);
                        }
                    };
                })
                .joined(work);
    }

    /**
     * Queries whose scores leave half of a cache to the keys and values that they meet.
     *
     * @param cache its bytes
     * @param shares into which all queries are cut at least, where there are many
     */
    int tile(int cache, int shares) {
        int cached = cache / 2 / Float.BYTES / key.columns();
        int shared = (int) Math.min((long) query.matrices() * query.rows() / shares, cached);
        return Math.min(Math.max(shared, LEAST_ROWS), query.rows());
    }

    private static float[] scores(int count) {
        float[][] kept = SCORES.get();
        if (kept[0].length < count) {
            kept[0] = new float[count];
        }
        return kept[0];
    }

    @Override
    public String label() {
        return "attention";
    }
}
