package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** Recurrent layers that are written out step by step, and what becomes of them. */
class UnrolledRecurrencesTest {
    private static final int INPUTS = 5;
    private static final int UNITS = 6;

    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(7);

    private enum Cell {
        LSTM(4),
        GRU(3),
        TANH(1),
        RELU(1);

        private final int gates;

        Cell(int gates) {
            this.gates = gates;
        }
    }

    private record State(int hidden, int cell) {}

    /** A layer's weights and the order in which its gates lie in them. */
    private final class Layer {
        private final Cell cell;
        private final int batch;
        private final LinearOp input;
        private final float[] weights = floats(UNITS * UNITS * 4);
        private final float[] bias = floats(UNITS * 4);
        private final List<Integer> order = new ArrayList<>();
        private State state;

        Layer(Cell cell, int batch, int inputs, State state) {
            this.cell = cell;
            this.batch = batch;
            this.state = state;
            input = new LinearOp(
                    inputs,
                    cell.gates * UNITS,
                    floats(cell.gates * UNITS * inputs),
                    floats(cell.gates * UNITS),
                    Clamp.NONE);
            for (int i = 0; i < cell.gates; i++) {
                order.add(i);
            }
            Collections.shuffle(order, random);
        }

        private LinearOp product() {
            // As a device reads it for each step.
            return new LinearOp(
                    UNITS,
                    cell.gates * UNITS,
                    Arrays.copyOf(weights, cell.gates * UNITS * UNITS),
                    Arrays.copyOf(bias, cell.gates * UNITS),
                    Clamp.NONE);
        }

        private int part(int all, int gate) {
            return graph.add(
                    SliceOp.of(graph.type(all), 1, order.get(gate) * UNITS, (order.get(gate) + 1) * UNITS), all);
        }

        private int gate(UnaryOp function, int x, int h, int gate) {
            return random.nextBoolean()
                    ? unary(function, sum(part(x, gate), part(h, gate)))
                    : unary(function, part(sum(x, h), gate));
        }

        private State step(int x) {
            int h = graph.add(
                    product(), graph.add(new ReshapeOp(graph.type(state.hidden).shape()), state.hidden));
            switch (cell) {
                case LSTM -> {
                    int kept = binary(BinaryOp.MUL, gate(UnaryOp.SIGMOID, x, h, 1), state.cell);
                    int c = sum(
                            kept, binary(BinaryOp.MUL, gate(UnaryOp.SIGMOID, x, h, 0), gate(UnaryOp.TANH, x, h, 2)));
                    return new State(binary(BinaryOp.MUL, gate(UnaryOp.SIGMOID, x, h, 3), unary(UnaryOp.TANH, c)), c);
                }
                case GRU -> {
                    int fresh = unary(
                            UnaryOp.TANH,
                            sum(part(x, 2), binary(BinaryOp.MUL, gate(UnaryOp.SIGMOID, x, h, 0), part(h, 2))));
                    int change = graph.add(BinaryMathOp.of(BinaryOp.SUB), state.hidden, fresh);
                    return new State(sum(fresh, binary(BinaryOp.MUL, gate(UnaryOp.SIGMOID, x, h, 1), change)), -1);
                }
                default -> {
                    return new State(
                            cell == Cell.TANH
                                    ? unary(UnaryOp.TANH, sum(x, h))
                                    : graph.add(new ClampOp(Clamp.RELU), sum(x, h)),
                            -1);
                }
            }
        }

        /** All outputs, by input. */
        int run(int rows, boolean reverse) {
            int all = graph.add(input, rows);
            int steps = graph.type(rows).dimension(0) / batch;
            List<Integer> out = new ArrayList<>();
            for (int i = 0; i < steps; i++) {
                int row = (reverse ? steps - 1 - i : i) * batch;
                state = step(graph.add(SliceOp.of(graph.type(all), 0, row, row + batch), all));
                out.add(state.hidden);
            }
            if (reverse) {
                Collections.reverse(out);
            }
            return graph.add(
                    new ConcatenationOp(0),
                    out.stream().mapToInt(Integer::intValue).toArray());
        }
    }

    private float[] floats(int count) {
        return (float[]) Plain.random(ValueType.floats(count), random);
    }

    private int unary(UnaryOp op, int x) {
        return graph.add(new UnaryMathOp(op), x);
    }

    private int binary(BinaryOp op, int a, int b) {
        return random.nextBoolean() ? graph.add(BinaryMathOp.of(op), a, b) : graph.add(BinaryMathOp.of(op), b, a);
    }

    private int sum(int a, int b) {
        return binary(BinaryOp.ADD, a, b);
    }

    private int state(int batch, boolean constant) {
        ValueType type = ValueType.floats(batch, UNITS);
        return constant ? graph.constant(type, floats(batch * UNITS)) : graph.input(type, ImageStorage.DECLARED);
    }

    private State states(int batch) {
        return new State(state(batch, random.nextBoolean()), state(batch, random.nextBoolean()));
    }

    private List<String> labels(int... outputs) {
        for (int output : outputs) {
            graph.output(output, ImageStorage.DECLARED);
        }
        return Plain.compare(graph.build(), 1).labels();
    }

    private static long products(List<String> labels) {
        return labels.stream().filter(label -> label.startsWith("linear")).count();
    }

    @ParameterizedTest
    @CsvSource({
        "LSTM,1,7,false,LSTM 5 to 6",
        "LSTM,3,4,true,backward LSTM 5 to 6",
        "GRU,1,9,false,GRU 5 to 6",
        "GRU,2,2,true,backward GRU 5 to 6",
        "GRU,6,5,false,GRU 5 to 6",
        "TANH,1,8,false,RNN of 6",
        "TANH,2,3,true,backward RNN of 6",
        "RELU,3,4,false,RNN of 6",
        "LSTM,2,1,false,LSTM 5 to 6",
        "GRU,1,1,false,GRU 5 to 6"
    })
    void stepsBecomeALayer(Cell cell, int batch, int steps, boolean reverse, String label) {
        int rows = graph.input(ValueType.floats(steps * batch, INPUTS), ImageStorage.DECLARED);
        Layer layer = new Layer(cell, batch, INPUTS, states(batch));
        int all = layer.run(rows, reverse);
        List<String> labels =
                cell == Cell.LSTM ? labels(all, layer.state.hidden, layer.state.cell) : labels(all, layer.state.hidden);
        assertEquals(
                1,
                labels.stream()
                        .filter(made -> made.startsWith(label + " to FLOAT32"))
                        .count(),
                labels.toString());
        assertEquals(cell.gates == 1 ? 1 : 0, products(labels), labels.toString());
    }

    @ParameterizedTest
    @CsvSource({"LSTM,1,40,3", "GRU,2,24,2", "TANH,1,10,2", "GRU,1,4,2"})
    void layersStandOverEachOther(Cell cell, int batch, int steps, int layers) {
        int rows = graph.input(ValueType.floats(steps * batch, INPUTS), ImageStorage.DECLARED);
        List<Integer> states = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            Layer layer = new Layer(cell, batch, i == 0 ? INPUTS : UNITS, states(batch));
            rows = layer.run(rows, false);
            states.add(layer.state.hidden);
            if (cell == Cell.LSTM) {
                states.add(layer.state.cell);
            }
        }
        states.add(rows);
        List<String> labels = labels(states.stream().mapToInt(Integer::intValue).toArray());
        assertEquals(cell.gates == 1 ? layers : 0, products(labels), labels.toString());
        assertTrue(labels.stream().noneMatch(label -> label.startsWith("concat")), labels.toString());
    }

    @ParameterizedTest
    @CsvSource({"LSTM,1,6", "LSTM,3,4", "GRU,2,5", "TANH,1,4"})
    void bothDirectionsOfALayerArePairs(Cell cell, int batch, int steps) {
        int rows = graph.input(ValueType.floats(steps * batch, INPUTS), ImageStorage.DECLARED);
        Layer forward = new Layer(cell, batch, INPUTS, states(batch));
        Layer backward = new Layer(cell, batch, INPUTS, states(batch));
        int first = forward.run(rows, false);
        int second = backward.run(rows, true);
        int both = graph.add(new ConcatenationOp(1), first, second);
        List<String> labels = cell == Cell.LSTM
                ? labels(
                        both,
                        second,
                        forward.state.hidden,
                        forward.state.cell,
                        backward.state.hidden,
                        backward.state.cell)
                : labels(both, forward.state.hidden, backward.state.hidden);
        assertEquals(
                cell.gates == 1 ? 0 : 1,
                labels.stream()
                        .filter(label -> label.startsWith("both directions " + cell + " 5 to 6"))
                        .count(),
                labels.toString());
        assertEquals(cell.gates == 1 ? 2 : 0, products(labels), labels.toString());
    }

    /** A layer has the same weights in all steps. */
    @Test
    void stepsOfOtherWeightsAreOtherLayers() {
        int rows = graph.input(ValueType.floats(4, INPUTS), ImageStorage.DECLARED);
        Layer layer = new Layer(Cell.TANH, 1, INPUTS, new State(state(1, false), state(1, false)));
        int all = graph.add(layer.input, rows);
        for (int i = 0; i < 4; i++) {
            layer.weights[0]++;
            layer.state = layer.step(graph.add(SliceOp.of(graph.type(all), 0, i, i + 1), all));
        }
        assertEquals(5, products(labels(layer.state.hidden)));
    }

    /** What is asked for within a step, or of a cell state on the way, is there. */
    @Test
    void layersWhoseInnerValuesAreAskedForStay() {
        int rows = graph.input(ValueType.floats(4, INPUTS), ImageStorage.DECLARED);
        Layer layer = new Layer(Cell.LSTM, 1, INPUTS, new State(state(1, false), state(1, false)));
        int all = graph.add(layer.input, rows);
        List<Integer> cells = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            layer.state = layer.step(graph.add(SliceOp.of(graph.type(all), 0, i, i + 1), all));
            cells.add(layer.state.cell);
        }
        assertEquals(
                5,
                products(labels(graph.add(
                        new ConcatenationOp(0),
                        cells.stream().mapToInt(Integer::intValue).toArray()))));
    }
}
