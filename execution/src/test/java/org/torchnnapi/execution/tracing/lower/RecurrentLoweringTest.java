package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.operators.packed.CellParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Two layers, in one direction and in both, with either dimension first. */
class RecurrentLoweringTest {
    private static final int INPUTS = 3;
    private static final int HIDDEN = 5;

    @ParameterizedTest
    @CsvSource({"False, False", "False, True", "True, False", "True, True"})
    void gru(String bidirectional, String batchFirst) {
        Object[] constants = network(3, bidirectional.equals("True"));
        for (int batch : new int[] {1, 2}) {
            lowered(
                    List.of(
                            "y, h = torch.gru(x, z, [" + weights(constants.length) + "], True, 2, 0., False, "
                                    + bidirectional + ", " + batchFirst + ")",
                            "return torch.add(torch.sum(h), y)"),
                    constants,
                    input(batch, batchFirst),
                    floats(1),
                    state(batch, bidirectional));
        }
    }

    @ParameterizedTest
    @CsvSource({"False, False", "False, True", "True, False", "True, True"})
    void lstm(String bidirectional, String batchFirst) {
        Object[] constants = network(4, bidirectional.equals("True"));
        for (int batch : new int[] {1, 2}) {
            lowered(
                    List.of(
                            "u, h, c = torch.lstm(x, [z, y], [" + weights(constants.length) + "], True, 2, 0., False, "
                                    + bidirectional + ", " + batchFirst + ")",
                            "return torch.add(torch.add(torch.sum(h), torch.sum(c)), u)"),
                    constants,
                    input(batch, batchFirst),
                    state(batch, bidirectional),
                    state(batch, bidirectional));
        }
    }

    /** So many steps that threads do both layers at once. */
    @ParameterizedTest
    @CsvSource({"False", "True"})
    void longSequences(String batchFirst) {
        int steps = 37;
        Tensor input = batchFirst.equals("True") ? floats(2, steps, INPUTS) : floats(steps, 2, INPUTS);
        String layers = "], True, 2, 0., False, False, " + batchFirst + ")";
        Object[] gru = network(3, false);
        lowered(
                List.of("y, h = torch.gru(x, z, [" + weights(gru.length) + layers, "return [h, y]"),
                gru,
                input,
                floats(1),
                state(2, "False"));
        Object[] lstm = network(4, false);
        lowered(
                List.of("u, h, c = torch.lstm(x, [z, y], [" + weights(lstm.length) + layers, "return [c, h, u]"),
                lstm,
                input,
                state(2, "False"),
                state(2, "False"));
    }

    @ParameterizedTest
    @CsvSource({"False, False", "False, True", "True, False", "True, True"})
    void quantized(String bidirectional, String batchFirst) {
        for (int gates = 3; gates <= 4; gates++) {
            Object[] constants = quantizedNetwork(gates, bidirectional.equals("True"));
            String call =
                    gates == 3 ? "u, h = torch.quantized_gru(x, z, [" : "u, h, c = torch.quantized_lstm(x, [z, y], [";
            lowered(
                    List.of(
                            call + weights(constants.length) + "], True, 2, 0., False, " + bidirectional + ", "
                                    + batchFirst + (gates == 3 ? ")" : ", dtype=12, use_dynamic=True)"),
                            gates == 3
                                    ? "return torch.add(torch.sum(h), u)"
                                    : "return torch.add(torch.add(torch.sum(h), torch.sum(c)), u)"),
                    constants,
                    input(2, batchFirst),
                    state(2, bidirectional),
                    state(2, bidirectional));
        }
    }

    @ParameterizedTest
    @CsvSource({"tanh, False", "tanh, True", "relu, False", "relu, True"})
    void withoutGates(String function, String bidirectional) {
        Object[] constants = network(1, bidirectional.equals("True"));
        for (Object weight : constants) {
            float[] values = ((Tensor) weight).storage().floatArray();
            for (int i = 0; i < values.length; i++) {
                values[i] *= 0.2f;
            }
        }
        for (int batch : new int[] {1, 2}) {
            lowered(
                    List.of(
                            "y, h = torch.rnn_" + function + "(x, z, [" + weights(constants.length)
                                    + "], True, 2, 0., False, " + bidirectional + ", True)",
                            "return torch.add(torch.sum(h), y)"),
                    constants,
                    input(batch, "True"),
                    floats(1),
                    state(batch, bidirectional));
        }
    }

    @ParameterizedTest
    @CsvSource({"'CONSTANTS.c0, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3'", "'CONSTANTS.c0, CONSTANTS.c1'"})
    void singleSteps(String weights) {
        lowered(
                List.of("return torch.gru_cell(x, y, " + weights + ")"),
                network(3, false),
                floats(2, INPUTS),
                floats(2, HIDDEN));
        lowered(
                List.of("h, c = torch.lstm_cell(x, [y, z], " + weights + ")", "return [h, c]"),
                network(4, false),
                floats(2, INPUTS),
                floats(2, HIDDEN),
                floats(2, HIDDEN));
    }

    private static Object[] quantizedNetwork(int gates, boolean bidirectional) {
        int directions = bidirectional ? 2 : 1;
        Object[] cells = new Object[2 * directions];
        for (int i = 0; i < cells.length; i++) {
            Tensor none = Tensor.zeros(DType.FLOAT32, gates * HIDDEN);
            cells[i] = CellParams.CLASS.wrap(new CellParams(
                    layer(gates, i < directions ? INPUTS : directions * HIDDEN),
                    layer(gates, HIDDEN),
                    none,
                    none,
                    false));
        }
        return cells;
    }

    /** Weights so small that a rounding which makes another byte of an output stays within the tolerance. */
    private static LinearParams layer(int gates, int inputs) {
        Tensor weight = QuantizedMath.quantize(
                floats(gates * HIDDEN, inputs), new Quantization.PerTensor(1e-4, 0), DType.QINT8);
        return new LinearParams(weight, floats(gates * HIDDEN));
    }

    private static Tensor input(int batch, String batchFirst) {
        return batchFirst.equals("True") ? floats(batch, 4, INPUTS) : floats(4, batch, INPUTS);
    }

    private static Tensor state(int batch, String bidirectional) {
        return floats(bidirectional.equals("True") ? 4 : 2, batch, HIDDEN);
    }

    private static Object[] network(int gates, boolean bidirectional) {
        int directions = bidirectional ? 2 : 1;
        Object[] constants = new Object[2 * directions * 4];
        for (int i = 0; i < constants.length; i += 4) {
            int inputs = i < directions * 4 ? INPUTS : directions * HIDDEN;
            constants[i] = floats(gates * HIDDEN, inputs);
            constants[i + 1] = floats(gates * HIDDEN, HIDDEN);
            constants[i + 2] = floats(gates * HIDDEN);
            constants[i + 3] = floats(gates * HIDDEN);
        }
        return constants;
    }

    private static String weights(int count) {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < count; i++) {
            names.append(i == 0 ? "" : ", ").append("CONSTANTS.c").append(i);
        }
        return names.toString();
    }
}
