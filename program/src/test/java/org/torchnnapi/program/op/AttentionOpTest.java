package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.ValueType;

/** Against the definition in double, over random shapes, changes of the scores and places of the matrices. */
class AttentionOpTest {
    private static final int CASES = 150;
    private static final double TOLERANCE = 2e-4;

    /** An attention with its inputs, each as it lies. */
    private static final class Case {
        final Random random;
        final int batch;
        final int heads;
        final int m;
        final int n;
        final int k;
        final int e;
        final List<ValueType> types = new ArrayList<>();
        final List<Object> inputs = new ArrayList<>();
        final List<AttentionOp.Change> changes = new ArrayList<>();
        float scale = 1;
        SoftmaxOp softmax = new SoftmaxOp(-1, 1, false);

        Case(Random random, int m, int n) {
            this.random = random;
            this.m = m;
            this.n = n;
            batch = 1 + random.nextInt(3);
            heads = 1 + random.nextInt(4);
            k = 1 + random.nextInt(random.nextBoolean() ? 5 : 70);
            e = 1 + random.nextInt(random.nextBoolean() ? 5 : 70);
        }

        /** The axes of {@code [batch, heads, rows, columns]}, as they are or with the heads beside the columns. */
        StridedView place(boolean turned, int rows, int columns) {
            return turned
                    ? StridedView.of(ValueType.floats(batch, rows, heads, columns))
                            .turned(0, 2, 1, 3)
                    : StridedView.of(ValueType.floats(batch, heads, rows, columns));
        }

        void input(ValueType type) {
            types.add(type);
            inputs.add(Ops.random(random, type));
        }

        StridedView matrices(int rows, int columns) {
            StridedView view = place(random.nextBoolean(), rows, columns);
            input(ValueType.floats(batch * heads * rows * columns));
            return view;
        }

        int[] maskShape() {
            int[] whole = {batch, heads, m, n};
            int[] shape = whole.clone();
            for (int i = 0; i < 4; i++) {
                shape[i] = random.nextInt(3) == 0 ? 1 : whole[i];
            }
            return Arrays.copyOfRange(shape, random.nextInt(3), 4);
        }

        void change() {
            int[] scores = {batch, heads, m, n};
            if (random.nextBoolean()) {
                changes.add(new AttentionOp.Change(
                        new MaskedFillOp(random.nextBoolean() ? Float.NEGATIVE_INFINITY : -3, random.nextBoolean()),
                        scores));
                input(ValueType.flags(maskShape()));
            } else {
                Clamp clamp = random.nextInt(4) == 0 ? new Clamp(-1, 1) : Clamp.NONE;
                BinaryOp op = List.of(BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL).get(random.nextInt(3));
                changes.add(new AttentionOp.Change(new BinaryMathOp(op, clamp), scores));
                input(ValueType.floats(random.nextBoolean() ? maskShape() : new int[] {}));
            }
        }

        float[] floats(int input) {
            return (float[]) inputs.get(input);
        }

        int at(StridedView view, int matrix, int row, int column) {
            return view.matrix(view.matrices() == 1 ? 0 : matrix) + row * view.rowStep() + column;
        }

        void check(StridedView q, StridedView key, StridedView v, boolean turned, String name) {
            StridedView out = place(turned, m, e);
            int[] shape = turned ? new int[] {batch, m, heads, e} : new int[] {batch, heads, m, e};
            AttentionOp op = new AttentionOp(q, key, v, scale, changes, softmax, out, shape);
            float[] actual = (float[]) Ops.run(op, types, inputs.toArray());
            float[] expected = new float[actual.length];
            for (int matrix = 0; matrix < batch * heads; matrix++) {
                for (int row = 0; row < m; row++) {
                    double[] weights = weights(q, key, matrix, row);
                    for (int column = 0; column < e; column++) {
                        double sum = 0;
                        for (int i = 0; i < n; i++) {
                            sum += weights[i] * floats(2)[at(v, matrix, i, column)];
                        }
                        expected[at(out, matrix, row, column)] = (float) sum;
                    }
                }
            }
            for (int i = 0; i < expected.length; i++) {
                assertEquals(expected[i], actual[i], TOLERANCE, name + " element " + i);
            }
        }

        private double[] weights(StridedView q, StridedView key, int matrix, int row) {
            double[] weights = new double[n];
            double largest = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int j = 0; j < k; j++) {
                    sum += (double) floats(0)[at(q, matrix, row, j)] * floats(1)[at(key, matrix, j, i)];
                }
                weights[i] = changed(scale * sum, new int[] {matrix / heads, matrix % heads, row, i});
                largest = Math.max(largest, weights[i]);
            }
            boolean hidden = softmax.isSafe() && largest == Double.NEGATIVE_INFINITY;
            double sum = 0;
            for (int i = 0; i < n; i++) {
                weights[i] = hidden ? 0 : Math.exp(softmax.beta() * (weights[i] - largest));
                sum += weights[i];
            }
            for (int i = 0; i < n; i++) {
                weights[i] /= hidden ? 1 : sum;
            }
            return weights;
        }

        private double changed(double score, int[] index) {
            double changed = score;
            for (int i = 0; i < changes.size(); i++) {
                int at = 0;
                int[] shape = types.get(3 + i).shape();
                for (int axis = 0; axis < shape.length; axis++) {
                    at = at * shape[axis] + (shape[axis] == 1 ? 0 : index[4 - shape.length + axis]);
                }
                if (changes.get(i).op() instanceof MaskedFillOp fill) {
                    changed = ((byte[]) inputs.get(3 + i))[at] != 0 == fill.where() ? fill.value() : changed;
                    continue;
                }
                BinaryMathOp binary = (BinaryMathOp) changes.get(i).op();
                double other = floats(3 + i)[at];
                changed = switch (binary.op()) {
                    case ADD -> changed + other;
                    case SUB -> changed - other;
                    default -> changed * other;
                };
                changed = Math.min(
                        Math.max(changed, binary.clamp().min()), binary.clamp().max());
            }
            return changed;
        }
    }

    @Test
    void equalsItsDefinition() {
        for (int seed = 0; seed < CASES; seed++) {
            Random random = new Random(seed);
            // Beyond the rows of a tile, and fewer.
            Case one = new Case(
                    random, 1 + random.nextInt(seed % 3 == 0 ? 150 : 20), 1 + random.nextInt(seed % 4 == 0 ? 200 : 12));
            one.scale = new float[] {1, 0.125f, 0.3f, 2, -1, 0}[random.nextInt(6)];
            one.softmax = new SoftmaxOp(-1, random.nextBoolean() ? 1 : 0.5f, false, random.nextBoolean());
            StridedView q = one.matrices(one.m, one.k);
            StridedView key = one.matrices(one.k, one.n);
            StridedView v = one.matrices(one.n, one.e);
            for (int i = random.nextInt(4); i > 0; i--) {
                one.change();
            }
            one.check(q, key, v, random.nextBoolean(), "seed " + seed);
        }
    }

    @Test
    void oneMatrixOfKeysAndOfValuesServesAll() {
        Case one = new Case(new Random(1), 40, 9);
        StridedView q = one.matrices(one.m, one.k);
        one.input(ValueType.floats(one.k, one.n));
        one.input(ValueType.floats(1, one.n, one.e));
        StridedView key = StridedView.of(one.types.get(1));
        one.check(q, key, StridedView.of(one.types.get(2)), false, "one matrix");
    }

    @Test
    void noNumbersAndInfinitiesGoWhereTheySpread() {
        for (float special : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
            for (int input = 0; input < 3; input++) {
                for (boolean safe : new boolean[] {false, true}) {
                    Case one = new Case(new Random(input), 37, 20);
                    one.softmax = new SoftmaxOp(-1, 1, false, safe);
                    one.scale = 0.25f;
                    StridedView q = one.matrices(one.m, one.k);
                    StridedView key = one.matrices(one.k, one.n);
                    StridedView v = one.matrices(one.n, one.e);
                    one.floats(input)[one.floats(input).length / 2] = special;
                    one.check(q, key, v, true, special + " in input " + input);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsThatAreHiddenAreNoNumbersUnlessTheSoftmaxIsSafe(boolean safe) {
        AttentionOp.Change hide =
                new AttentionOp.Change(new MaskedFillOp(Float.NEGATIVE_INFINITY, true), new int[] {3, 2});
        ValueType type = ValueType.floats(3, 2);
        StridedView rows = StridedView.of(type);
        AttentionOp op = new AttentionOp(
                rows,
                StridedView.of(ValueType.floats(2, 2)),
                StridedView.of(ValueType.floats(2, 2)),
                1,
                List.of(hide),
                new SoftmaxOp(-1, 1, false, safe),
                rows,
                type.shape());
        float[] actual = (float[]) Ops.run(
                op,
                List.of(type, ValueType.floats(2, 2), ValueType.floats(2, 2), ValueType.flags(3, 2)),
                new float[] {1, 2, 3, 4, 5, 6},
                new float[4],
                new float[] {1, 2, 3, 4},
                new byte[] {0, 1, 1, 1, 0, 0});
        float hidden = safe ? 0 : Float.NaN;
        assertArrayEquals(new float[] {1, 2, hidden, hidden, 2, 3}, actual);
    }

    @ParameterizedTest
    @CsvSource({
        // Of 1024 keys 64 rows fill a quarter of a megabyte; many heads are units enough, and few rows do not pay.
        "12, 1024, 1024, 524288, 64",
        "12, 1024, 1024, 1048576, 128",
        "1, 1024, 1024, 1048576, 64",
        "1, 100, 1024, 1048576, 32",
        "12, 1024, 100000, 1048576, 32",
        "12, 7, 1024, 1048576, 7"
    })
    void asManyQueriesAtATimeAsTheCacheHolds(int heads, int queries, int keys, int cache, int rows) {
        StridedView q = StridedView.of(ValueType.floats(heads, queries, 8));
        AttentionOp op = new AttentionOp(
                q,
                StridedView.of(ValueType.floats(heads, 8, keys)),
                StridedView.of(ValueType.floats(heads, keys, 8)),
                1,
                List.of(),
                new SoftmaxOp(-1, 1, false),
                q,
                q.shape());
        assertEquals(rows, op.tile(cache, 16));
    }

    @Test
    void refusesWhatDoesNotFit() {
        ValueType type = ValueType.floats(4, 4);
        StridedView view = StridedView.of(type);
        List<ValueType> types = List.of(type, type, type);
        SoftmaxOp softmax = new SoftmaxOp(-1, 1, false);
        assertEquals(type, new AttentionOp(view, view, view, 1, List.of(), softmax, view, type.shape()).result(types));
        StridedView apart = view.turned(1, 0);
        StridedView few = new StridedView(new int[] {4, 3}, 0, new int[] {4, 1});
        StridedView beyond = new StridedView(new int[] {4, 4}, 1, new int[] {4, 1});
        for (StridedView wrong : List.of(apart, few, beyond)) {
            AttentionOp op = new AttentionOp(wrong, view, view, 1, List.of(), softmax, view, type.shape());
            assertThrows(IllegalArgumentException.class, () -> op.result(types), Arrays.toString(wrong.shape()));
        }
        AttentionOp.Change change = new AttentionOp.Change(BinaryMathOp.of(BinaryOp.ADD), new int[] {4, 4});
        AttentionOp masked = new AttentionOp(view, view, view, 1, List.of(change), softmax, view, type.shape());
        assertThrows(IllegalArgumentException.class, () -> masked.result(types));
        assertThrows(
                IllegalArgumentException.class,
                () -> masked.result(List.of(type, type, type, ValueType.floats(2, 4, 4))));
        assertThrows(
                IllegalArgumentException.class, () -> new AttentionOp.Change(new ClampOp(Clamp.RELU), new int[] {4}));
        assertThrows(
                IllegalArgumentException.class,
                () -> new AttentionOp(view, view, view, 1, List.of(), new SoftmaxOp(-1, 1, true), view, type.shape()));
    }
}
