package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class RnnFamilyTest {
    private static Tensor column(double... values) {
        return floats(sizes(values.length, 1), values);
    }

    @Test
    void singleSteps() {
        Tensor[] lstm = tensors(
                "lstm_cell",
                column(1),
                list(column(0.5), column(0.25)),
                column(.1, .2, .3, .4),
                column(.5, .6, .7, .8),
                vector(.1, .1, .1, .1),
                vector(0, 0, 0, 0));
        expect(lstm[0], sizes(1, 1), 0.35545065999031067);
        expect(lstm[1], sizes(1, 1), 0.5492609739303589);
        expect(
                tensor(
                        "gru_cell",
                        column(1),
                        column(0.5),
                        column(.1, .2, .3),
                        column(.4, .5, .6),
                        vector(.1, .1, .1),
                        vector(0, 0, .2)),
                sizes(1, 1),
                0.5380319952964783);
    }

    /**
     * What genuine PyTorch 1.13 does with types that differ: each product has one, what is joined with the products may
     * have another.
     */
    @Test
    void stepsOfSeveralTypes() {
        Tensor wide = Elements.ofDoubles(DType.FLOAT64, new double[] {0.25}, 1, 1);
        Tensor[] lstm = tensors(
                "lstm_cell",
                column(1),
                list(column(0.5), wide),
                column(.1, .2, .3, .4),
                column(.5, .6, .7, .8),
                vector(.1, .1, .1, .1),
                vector(0, 0, 0, 0));
        expect(lstm[0], sizes(1, 1), 0.35545065999031067);
        assertEquals(DType.FLOAT64, lstm[0].dtype());
        assertEquals(DType.FLOAT64, lstm[1].dtype());
        Tensor weights = Elements.ofDoubles(DType.FLOAT64, new double[] {.4, .5, .6}, 3, 1);
        Tensor bias = Elements.ofDoubles(DType.FLOAT64, new double[] {0, 0, .2}, 3);
        Tensor state = Elements.ofDoubles(DType.FLOAT64, new double[] {0.5}, 1, 1);
        Tensor gru = tensor("gru_cell", column(1), state, column(.1, .2, .3), weights, vector(.1, .1, .1), bias);
        expect(gru, sizes(1, 1), 0.5380319952964783);
        assertEquals(DType.FLOAT64, gru.dtype());
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor(
                        "gru_cell",
                        column(1),
                        column(0.5),
                        column(.1, .2, .3),
                        column(.4, .5, .6),
                        vector(.1, .1, .1),
                        bias));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensors(
                        "lstm.input",
                        floats(sizes(1, 1, 1), 1),
                        list(floats(sizes(1, 1, 1), 0), Elements.ofDoubles(DType.FLOAT64, new double[1], 1, 1, 1)),
                        list(column(.1, .2, .3, .4), column(.5, .6, .7, .8)),
                        false,
                        1L,
                        0.0,
                        false,
                        false,
                        false));
    }

    @Test
    void aSequenceIsItsSteps() {
        Tensor input = floats(sizes(3, 1, 1), 1, -1, 0.5);
        Tensor[] whole = tensors(
                "rnn_tanh.input",
                input,
                floats(sizes(1, 1, 1), 0),
                list(column(0.5), column(0.25)),
                false,
                1L,
                0.0,
                false,
                false,
                false);
        double h = 0;
        double[] steps = new double[3];
        for (int i = 0; i < 3; i++) {
            h = Math.tanh(0.5 * input.getDouble(i) + 0.25 * h);
            steps[i] = h;
        }
        expect(whole[0], sizes(3, 1, 1), steps);
        expect(whole[1], sizes(1, 1, 1), h);
    }

    @Test
    void layersAndDirectionsAreTheirSingleSteps() {
        Tensor input = floats(sizes(2, 1, 1), 1, -0.5);
        Tensor wi = column(.1, .2, .3);
        Tensor wh = column(.4, .5, .6);
        Tensor forth = floats(sizes(3, 2), .1, .2, .3, -.1, -.2, -.3);
        Tensor back = floats(sizes(3, 2), .3, .2, .1, .1, .2, .3);
        Tensor[] whole = tensors(
                "gru.input",
                input,
                floats(sizes(4, 1, 1), 0.5, 0.25, 0, 0.1),
                list(wi, wh, wi, wh, forth, wh, back, wh),
                false,
                2L,
                0.0,
                false,
                true,
                false);
        Tensor[] x = {floats(sizes(1, 1), 1), floats(sizes(1, 1), -0.5)};
        Tensor[] forward = steps(x, 0.5, wi, wh, false);
        Tensor[] backward = steps(x, 0.25, wi, wh, true);
        Tensor[] pairs = new Tensor[2];
        for (int t = 0; t < 2; t++) {
            pairs[t] = floats(sizes(1, 2), forward[t].getDouble(0), backward[t].getDouble(0));
        }
        Tensor[] upper = steps(pairs, 0, forth, wh, false);
        Tensor[] lower = steps(pairs, 0.1, back, wh, true);
        expect(
                whole[0],
                sizes(2, 1, 2),
                upper[0].getDouble(0),
                lower[0].getDouble(0),
                upper[1].getDouble(0),
                lower[1].getDouble(0));
        expect(
                whole[1],
                sizes(4, 1, 1),
                forward[1].getDouble(0),
                backward[0].getDouble(0),
                upper[1].getDouble(0),
                lower[0].getDouble(0));
    }

    private static Tensor[] steps(Tensor[] inputs, double state, Tensor wi, Tensor wh, boolean reverse) {
        Tensor[] out = new Tensor[inputs.length];
        Tensor h = column(state);
        for (int i = 0; i < inputs.length; i++) {
            int t = reverse ? inputs.length - 1 - i : i;
            h = tensor("gru_cell", inputs[t], h, wi, wh, null, null);
            out[t] = h;
        }
        return out;
    }

    @Test
    void weightsThatDoNotFitAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> tensors(
                        "rnn_tanh.input",
                        floats(sizes(1, 1, 1), 1),
                        floats(sizes(1, 1, 1), 0),
                        list(column(0.5)),
                        false,
                        1L,
                        0.0,
                        false,
                        false,
                        false));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensors(
                        "rnn_tanh.input",
                        floats(sizes(1, 1, 2), 1, 1),
                        floats(sizes(1, 1, 1), 0),
                        list(column(0.5), column(0.5)),
                        false,
                        1L,
                        0.0,
                        false,
                        false,
                        false));
    }
}
