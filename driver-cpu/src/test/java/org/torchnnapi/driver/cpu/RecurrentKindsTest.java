package org.torchnnapi.driver.cpu;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Recurrent layers of all kinds against the reference device. */
class RecurrentKindsTest {
    private static final int STEPS = 4;
    private static final int BATCH = 3;
    private static final int FEATURES = 5;
    private static final int MORE = 2;
    private static final int UNITS = 7;
    private static final int GATES = 4;

    private static int constantIf(boolean wanted, Graphs graph, int... dims) {
        if (wanted) {
            return graph.constant(dims);
        }
        int operand = graph.tensor(dims);
        graph.builder.setOperandValue(operand, (ByteBuffer) null);
        return operand;
    }

    /** What an LSTM layer may have beyond the plain one. */
    private record Extras(
            boolean coupled, boolean peephole, boolean projection, boolean normalization, int activation, float clip) {
        static final Extras[] ALL = {
            new Extras(false, false, false, false, 4, 0),
            new Extras(true, false, true, false, 4, 0.4f),
            new Extras(false, true, true, true, 4, 0),
            new Extras(true, true, false, true, 1, 0.6f)
        };

        int outputs() {
            return projection ? UNITS - 2 : UNITS;
        }
    }

    /**
     * Weights, recurrent weights, peepholes, biases and projection, as all LSTM operations have them one after the
     * other.
     */
    private static void layer(Graphs graph, Extras extras, int[] inputs, int at, int features) {
        for (int gate = 0; gate < GATES; gate++) {
            boolean given = gate > 0 || !extras.coupled();
            inputs[at + gate] = constantIf(given, graph, UNITS, features);
            inputs[at + GATES + gate] = constantIf(given, graph, UNITS, extras.outputs());
            inputs[at + 11 + gate] = constantIf(given, graph, UNITS);
        }
        for (int i = 0; i < 3; i++) {
            inputs[at + 8 + i] = constantIf(extras.peephole() && (i > 0 || !extras.coupled()), graph, UNITS);
        }
        inputs[at + 15] = constantIf(extras.projection(), graph, extras.outputs(), UNITS);
        inputs[at + 16] = constantIf(extras.projection(), graph, extras.outputs());
    }

    private static void normalization(Graphs graph, Extras extras, int[] inputs, int at) {
        for (int gate = 0; gate < GATES; gate++) {
            inputs[at + gate] = constantIf(extras.normalization() && (gate > 0 || !extras.coupled()), graph, UNITS);
        }
    }

    private static void functions(Graphs graph, Extras extras, int[] inputs, int at) {
        inputs[at] = graph.scalar(extras.activation());
        inputs[at + 1] = graph.real(extras.clip());
        inputs[at + 2] = graph.real(extras.clip());
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void lstm(OperandType type) {
        for (Extras extras : Extras.ALL) {
            Graphs graph = new Graphs(1, type);
            int[] inputs = new int[27];
            inputs[0] = graph.tensor(BATCH, FEATURES);
            layer(graph, extras, inputs, 1, FEATURES);
            inputs[18] = graph.tensor(BATCH, extras.outputs());
            inputs[19] = graph.tensor(BATCH, UNITS);
            functions(graph, extras, inputs, 20);
            normalization(graph, extras, inputs, 23);
            int[] outputs = {
                graph.tensor(BATCH, UNITS * (extras.coupled() ? 3 : 4)),
                graph.tensor(BATCH, extras.outputs()),
                graph.tensor(BATCH, UNITS),
                graph.tensor(BATCH, extras.outputs())
            };
            graph.builder.addOperation(OperationType.LSTM, inputs, outputs);
            graph.compare(new int[] {inputs[0], inputs[18], inputs[19]}, outputs);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void lstmOverASequence(OperandType type) {
        for (Extras extras : Extras.ALL) {
            for (boolean timeMajor : new boolean[] {true, false}) {
                Graphs graph = new Graphs(2, type);
                int[] inputs = new int[28];
                inputs[0] = sequence(graph, timeMajor, FEATURES);
                layer(graph, extras, inputs, 1, FEATURES);
                inputs[18] = graph.tensor(BATCH, extras.outputs());
                inputs[19] = graph.tensor(BATCH, UNITS);
                functions(graph, extras, inputs, 20);
                inputs[23] = graph.flag(timeMajor);
                normalization(graph, extras, inputs, 24);
                int[] outputs = {
                    sequence(graph, timeMajor, extras.outputs()),
                    graph.tensor(BATCH, extras.outputs()),
                    graph.tensor(BATCH, UNITS)
                };
                graph.builder.addOperation(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, outputs);
                graph.compare(new int[] {inputs[0], inputs[18], inputs[19]}, outputs);
            }
        }
    }

    private static int sequence(Graphs graph, boolean timeMajor, int features) {
        return timeMajor ? graph.tensor(STEPS, BATCH, features) : graph.tensor(BATCH, STEPS, features);
    }

    /** Without an auxiliary input, with weights for it, and with one that goes into the backward layer alone. */
    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void lstmInBothDirections(OperandType type) {
        for (int kind = 0; kind < 3; kind++) {
            Extras extras = Extras.ALL[kind];
            boolean timeMajor = kind == 0;
            boolean merged = kind == 1;
            Graphs graph = new Graphs(3, type);
            int[] inputs = new int[61];
            inputs[0] = sequence(graph, timeMajor, FEATURES);
            layer(graph, extras, inputs, 1, FEATURES);
            layer(graph, extras, inputs, 18, kind == 2 ? MORE : FEATURES);
            for (int i = 0; i < 4; i++) {
                inputs[35 + i] = graph.tensor(BATCH, i % 2 == 0 ? extras.outputs() : UNITS);
            }
            inputs[39] = kind == 0 ? constantIf(false, graph, STEPS, BATCH, MORE) : sequence(graph, timeMajor, MORE);
            for (int i = 0; i < 2 * GATES; i++) {
                inputs[40 + i] = constantIf(kind == 1 && (i % GATES > 0 || !extras.coupled()), graph, UNITS, MORE);
            }
            functions(graph, extras, inputs, 48);
            inputs[51] = graph.flag(merged);
            inputs[52] = graph.flag(timeMajor);
            normalization(graph, extras, inputs, 53);
            normalization(graph, extras, inputs, 57);
            int[] outputs = new int[merged ? 5 : 6];
            outputs[0] = sequence(graph, timeMajor, merged ? 2 * extras.outputs() : extras.outputs());
            if (!merged) {
                outputs[1] = sequence(graph, timeMajor, extras.outputs());
            }
            for (int i = 0; i < 4; i++) {
                outputs[outputs.length - 4 + i] = graph.tensor(BATCH, i % 2 == 0 ? extras.outputs() : UNITS);
            }
            graph.builder.addOperation(OperationType.BIDIRECTIONAL_SEQUENCE_LSTM, inputs, outputs);
            graph.compare(
                    kind == 0
                            ? new int[] {inputs[0], inputs[35], inputs[36], inputs[37], inputs[38]}
                            : new int[] {inputs[0], inputs[35], inputs[36], inputs[37], inputs[38], inputs[39]},
                    outputs);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void rnn(OperandType type) {
        for (int activation : new int[] {0, 1, 2, 3, 4, 6}) {
            Graphs graph = new Graphs(4, type);
            int x = graph.tensor(BATCH, FEATURES);
            int state = graph.tensor(BATCH, UNITS);
            int code = graph.scalar(activation);
            int[] outputs = {graph.tensor(BATCH, UNITS), graph.tensor(BATCH, UNITS)};
            graph.builder.addOperation(
                    OperationType.RNN,
                    new int[] {
                        x,
                        graph.constant(UNITS, FEATURES),
                        graph.constant(UNITS, UNITS),
                        graph.constant(UNITS),
                        state,
                        code
                    },
                    outputs);
            graph.compare(new int[] {x, state}, outputs);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void rnnOverASequence(OperandType type) {
        for (int timeMajor = 0; timeMajor < 2; timeMajor++) {
            Graphs graph = new Graphs(5, type);
            int x = sequence(graph, timeMajor == 1, FEATURES);
            int state = graph.tensor(BATCH, UNITS);
            int[] outputs = {sequence(graph, timeMajor == 1, UNITS), graph.tensor(BATCH, UNITS)};
            graph.builder.addOperation(
                    OperationType.UNIDIRECTIONAL_SEQUENCE_RNN,
                    new int[] {
                        x,
                        graph.constant(UNITS, FEATURES),
                        graph.constant(UNITS, UNITS),
                        graph.constant(UNITS),
                        state,
                        graph.scalar(4),
                        graph.scalar(timeMajor)
                    },
                    outputs);
            graph.compare(new int[] {x, state}, outputs);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void rnnInBothDirections(OperandType type) {
        for (int kind = 0; kind < 3; kind++) {
            boolean timeMajor = kind == 1;
            boolean merged = kind == 2;
            Graphs graph = new Graphs(6, type);
            int x = sequence(graph, timeMajor, FEATURES);
            int forward = graph.tensor(BATCH, UNITS);
            int backward = graph.tensor(BATCH, UNITS);
            int more = kind == 0 ? constantIf(false, graph, BATCH, STEPS, MORE) : sequence(graph, timeMajor, MORE);
            int[] outputs = new int[merged ? 3 : 4];
            outputs[0] = sequence(graph, timeMajor, merged ? 2 * UNITS : UNITS);
            if (!merged) {
                outputs[1] = sequence(graph, timeMajor, UNITS);
            }
            outputs[outputs.length - 2] = graph.tensor(BATCH, UNITS);
            outputs[outputs.length - 1] = graph.tensor(BATCH, UNITS);
            graph.builder.addOperation(
                    OperationType.BIDIRECTIONAL_SEQUENCE_RNN,
                    new int[] {
                        x,
                        graph.constant(UNITS, FEATURES),
                        graph.constant(UNITS, UNITS),
                        graph.constant(UNITS),
                        forward,
                        graph.constant(UNITS, kind == 2 ? MORE : FEATURES),
                        graph.constant(UNITS, UNITS),
                        graph.constant(UNITS),
                        backward,
                        more,
                        constantIf(kind == 1, graph, UNITS, MORE),
                        constantIf(kind == 1, graph, UNITS, MORE),
                        graph.scalar(4),
                        graph.flag(timeMajor),
                        graph.flag(merged)
                    },
                    outputs);
            graph.compare(
                    kind == 0 ? new int[] {x, forward, backward} : new int[] {x, forward, backward, more}, outputs);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void svdf(OperandType type) {
        for (int rank = 1; rank < 4; rank++) {
            Graphs graph = new Graphs(7, type);
            int filters = 4 * rank;
            int x = graph.tensor(BATCH, FEATURES);
            int state = graph.tensor(BATCH, filters * 6);
            int[] outputs = {graph.tensor(BATCH, filters * 6), graph.tensor(BATCH, 4)};
            graph.builder.addOperation(
                    OperationType.SVDF,
                    new int[] {
                        x,
                        graph.constant(filters, FEATURES),
                        graph.constant(filters, 6),
                        constantIf(rank > 1, graph, 4),
                        state,
                        graph.scalar(rank),
                        graph.scalar(rank)
                    },
                    outputs);
            graph.compare(new int[] {x, state}, outputs);
        }
    }
}
