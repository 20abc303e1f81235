package org.torchnnapi.driver.cpu;

import java.util.List;
import org.torchnnapi.nnapi.op.FixedPoint;
import org.torchnnapi.nnapi.op.RoundingArithmetic;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A step of QUANTIZED_LSTM. Inputs: signed bytes {@code [batch, inputs]}, the cells before as floats {@code [batch,
 * units]} and the outputs before, signed bytes {@code [batch, outputs]}. Result, all in one row of floats: the cells
 * {@code [batch, units]}, then the bytes of the outputs {@code [batch, outputs]}.
 *
 * @param gates input, forget, cell and output gate, the first null where it is coupled to the second
 * @param cells step and limit of the cells
 * @param hidden what the outputs are before projection
 * @param projection null for none
 */
record ByteLstm(
        int inputs, int units, int outputs, List<ByteLstmGate> gates, Cells cells, Hidden hidden, Projection projection)
        implements Op {
    private static final int FORGET = 1;
    private static final int CELL = 2;
    private static final int OUTPUT = 3;
    private static final int GATE_BITS = 15;
    /** The number next to 1 that a gate can be. */
    private static final double LARGEST_GATE = 1 - 0x1p-15;

    /** @param clip the largest magnitude; none for 0 */
    record Cells(float scale, float clip) {
        /** The nearest multiple of the step that 16 bits can count, halves away from zero. */
        private double round(double value) {
            return FixedPoint.saturate16(RoundingArithmetic.halfAwayFromZero(value / scale)) * (double) scale;
        }

        /** A cell as it is stored, by its count of steps. */
        private int count(double value) {
            float limited = (float) (clip > 0 ? Math.max(-clip, Math.min(clip, value)) : value);
            return FixedPoint.saturate16(RoundingArithmetic.halfEven((double) limited / scale));
        }

        private int bits() {
            return (int) -Math.round(Math.log(scale) / Math.log(2));
        }
    }

    /** How hidden outputs are stored as signed bytes. */
    record Hidden(float scale, int zeroPoint) {
        private byte quantized(double value) {
            return limited(RoundingArithmetic.halfAwayFromZero(value / scale) + zeroPoint);
        }
    }

    /**
     * From hidden outputs to outputs.
     *
     * @param weights {@code [outputs][units]}
     * @param bias {@code [outputs]}, or null for none
     * @param clip the largest magnitude; none for 0
     */
    record Projection(
            byte[] weights, int[] bias, float weightScale, float clip, float outputScale, int outputZeroPoint) {
        private byte quantized(long sum, int output, float hiddenScale) {
            double value = (sum + (bias == null ? 0 : bias[output])) * (double) weightScale * hiddenScale;
            double limited = clip > 0 ? Math.max(-clip, Math.min(clip, value)) : value;
            return limited(RoundingArithmetic.halfAwayFromZero(limited / outputScale) + outputZeroPoint);
        }
    }

    private static byte limited(long value) {
        return (byte) Math.max(Byte.MIN_VALUE, Math.min(Byte.MAX_VALUE, value));
    }

    @Override
    public ValueType result(List<ValueType> values) {
        int batch = values.get(0).dimension(0);
        if (values.get(0).count() != batch * inputs
                || values.get(1).count() != batch * units
                || values.get(2).count() != batch * outputs) {
            throw new IllegalArgumentException("input, cells, outputs before: " + values + " (expected: of " + inputs
                    + ", " + units + " and " + outputs + " for each sequence)");
        }
        return ValueType.floats(batch * (units + outputs));
    }

    private ByteSums joined(boolean recurrent, int columns) {
        byte[] all = new byte[gates.size() * units * columns];
        for (int g = 0; g < gates.size(); g++) {
            if (gates.get(g) != null) {
                System.arraycopy(
                        recurrent ? gates.get(g).recurrent() : gates.get(g).input(),
                        0,
                        all,
                        g * units * columns,
                        units * columns);
            }
        }
        return new ByteSums(columns, gates.size() * units, all);
    }

    @Override
    public Step compile(Operands operands) {
        int batch = operands.in(0).type().dimension(0);
        PlacedValue in = operands.in(0);
        PlacedValue before = operands.in(2);
        PlacedValue out = operands.out();
        ByteSums ofInput = joined(false, inputs);
        ByteSums ofOutput = joined(true, outputs);
        ByteSums projected = projection == null ? null : new ByteSums(units, outputs, projection.weights);
        int bits = cells.bits();
        NumberTable tanh = new NumberTable(x -> FixedPoint.tanh(x, bits));
        return new Step(1, memory -> {
            long[] inputSums = new long[batch * ofInput.outputs()];
            long[] outputSums = new long[batch * ofOutput.outputs()];
            long[] results = new long[batch * outputs];
            byte[] bytes = new byte[batch * units];
            return (begin, end) -> {
                ofInput.run(
                        in.bytes(memory), in.at(memory), batch, true, in.type().zeroPoint(), inputSums);
                ofOutput.run(
                        before.bytes(memory),
                        before.at(memory),
                        batch,
                        true,
                        before.type().zeroPoint(),
                        outputSums);
                for (int b = 0; b < batch; b++) {
                    step(
                            inputSums,
                            outputSums,
                            b,
                            operands.in(1).floats(memory),
                            operands.in(1).at(memory) + b * units,
                            out.floats(memory),
                            out.at(memory) + b * units,
                            bytes,
                            tanh);
                }
                if (projected != null) {
                    projected.run(bytes, 0, batch, true, hidden.zeroPoint, results);
                }
                float[] to = out.floats(memory);
                int at = out.at(memory) + batch * units;
                for (int i = 0; i < results.length; i++) {
                    to[at + i] =
                            projected == null ? bytes[i] : projection.quantized(results[i], i % outputs, hidden.scale);
                }
            };
        });
    }

    private void step(
            long[] inputSums,
            long[] outputSums,
            int sequence,
            float[] before,
            int beforeAt,
            float[] after,
            int afterAt,
            byte[] bytes,
            NumberTable tanh) {
        double[] cell = new double[units];
        for (int u = 0; u < units; u++) {
            cell[u] = before[beforeAt + u];
        }
        double[] forget = gate(FORGET, inputSums, outputSums, sequence, cell);
        double[] candidate = gate(CELL, inputSums, outputSums, sequence, cell);
        double[] input = gates.get(0) == null ? null : gate(0, inputSums, outputSums, sequence, cell);
        int[] counts = new int[units];
        for (int u = 0; u < units; u++) {
            double let = input == null ? LARGEST_GATE - forget[u] : input[u];
            counts[u] = cells.count(cells.round(forget[u] * cell[u]) + cells.round(let * candidate[u]));
            after[afterAt + u] = counts[u] * cells.scale;
            cell[u] = after[afterAt + u];
        }
        double[] open = gate(OUTPUT, inputSums, outputSums, sequence, cell);
        for (int u = 0; u < units; u++) {
            bytes[sequence * units + u] = hidden.quantized(open[u] * FixedPoint.decode(tanh.at(counts[u]), GATE_BITS));
        }
    }

    private double[] gate(int gate, long[] inputSums, long[] outputSums, int sequence, double[] cell) {
        return gates.get(gate)
                .values(inputSums, outputSums, (sequence * gates.size() + gate) * units, cell, gate == CELL);
    }

    @Override
    public long packedBytes() {
        return (long) gates.size() * units * (inputs + outputs) + (projection == null ? 0 : projection.weights.length);
    }

    @Override
    public String label() {
        return "8-bit LSTM of " + units;
    }
}
