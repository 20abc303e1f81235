package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.tensors;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** The kernels against plain loops in double precision, which float64 tensors are computed by. */
class FloatRecurrenceTest {
    private static final int[][] SIZES = {{1, 1, 1}, {5, 3, 2}, {13, 17, 1}, {16, 32, 2}, {7, 9, 3}};
    private static final int[][] LENGTHS = {{1}, {4, 4}, {9, 6, 6, 5, 2, 1}, {3, 1}, {12, 11, 11, 11, 11, 7, 7, 1, 1}};
    private final Random random = new Random(5);

    @ParameterizedTest
    @ValueSource(strings = {"lstm", "gru", "rnn_tanh", "rnn_relu"})
    void packedSequences(String kind) {
        for (int[] size : SIZES) {
            for (int[] lengths : LENGTHS) {
                for (boolean bidirectional : new boolean[] {false, true}) {
                    Tensor data = doubles(Arrays.stream(lengths).sum(), size[0]);
                    long[] batches = new long[lengths[0]];
                    for (int t = 0; t < batches.length; t++) {
                        int step = t;
                        batches[t] = Arrays.stream(lengths)
                                .filter(length -> length > step)
                                .count();
                    }
                    agree(kind + ".data", kind, size, lengths.length, bidirectional, data, longs(batches));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lstm", "gru", "rnn_tanh", "rnn_relu"})
    void paddedSequences(String kind) {
        for (int[] size : SIZES) {
            agree(kind + ".input", kind, size, 5, true, doubles(5, 6, size[0]), true);
            agree(kind + ".input", kind, size, 6, false, doubles(5, 6, size[0]), false);
        }
    }

    /** @param last sizes of packed batches, or whether the batch comes first */
    private void agree(
            String operator, String kind, int[] size, int batch, boolean bidirectional, Tensor data, Object last) {
        int directions = bidirectional ? 2 : 1;
        int gates = kind.equals("lstm") ? 4 : kind.equals("gru") ? 3 : 1;
        boolean biases = size[0] != 13;
        Tensor[] params = new Tensor[size[2] * directions * (biases ? 4 : 2)];
        for (int i = 0; i < params.length; ) {
            boolean first = i < params.length / size[2];
            params[i++] = doubles(gates * size[1], first ? size[0] : directions * size[1]);
            params[i++] = doubles(gates * size[1], size[1]);
            if (biases) {
                params[i++] = doubles(gates * size[1]);
                params[i++] = doubles(gates * size[1]);
            }
        }
        Tensor[] states = new Tensor[kind.equals("lstm") ? 2 : 1];
        Arrays.setAll(states, i -> doubles(size[2] * directions, batch, size[1]));
        Tensor[] expected = run(operator, data, states, params, biases, size[2], bidirectional, last);
        Tensor[] found =
                run(operator, floats(data), floats(states), floats(params), biases, size[2], bidirectional, last);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(DType.FLOAT32, found[i].dtype());
            assertArrayEquals(expected[i].sizes(), found[i].sizes());
            assertArrayEquals(
                    expected[i].toFloatArray(), found[i].toFloatArray(), 2e-5f, operator + " " + Arrays.toString(size));
        }
    }

    private static Tensor[] run(
            String operator,
            Tensor data,
            Tensor[] states,
            Tensor[] params,
            boolean biases,
            long layers,
            boolean bidirectional,
            Object last) {
        Object state = states.length == 1 ? states[0] : list(states);
        return last instanceof Tensor
                ? tensors(operator, data, last, state, list(params), biases, layers, 0.0, false, bidirectional)
                : tensors(operator, data, state, list(params), biases, layers, 0.0, false, bidirectional, last);
    }

    private static Tensor[] floats(Tensor[] tensors) {
        return Arrays.stream(tensors).map(FloatRecurrenceTest::floats).toArray(Tensor[]::new);
    }

    private static Tensor floats(Tensor t) {
        return Tensor.of(t.toFloatArray(), t.sizes());
    }

    /** Of values that floats have too. */
    private Tensor doubles(int... sizes) {
        double[] values = new double[Arrays.stream(sizes).reduce(1, (a, b) -> a * b)];
        double scale = 0.5 / Math.sqrt(sizes[sizes.length - 1]);
        Arrays.setAll(values, i -> (float) (random.nextGaussian() * scale));
        return Tensor.of(DType.FLOAT64, values, sizes);
    }
}
