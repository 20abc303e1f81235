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
 * A step of QUANTIZED_16BIT_LSTM, whose numbers are counted: gates' sums in 2^-12, gates in 2^-15, cells in 2^-11.
 * Inputs: bytes {@code [batch, inputs]}, the cells before as floats {@code [batch, units]} and the outputs before,
 * bytes {@code [batch, units]}. Result, all in one row of floats: the cells {@code [batch, units]}, then the bytes of
 * the outputs {@code [batch, units]}.
 *
 * @param weights {@code [4][units][units + inputs]} less 128, gates in the order input, forget, cell, output
 * @param weightsZeroPoint of the bytes from which 128 was taken
 * @param bias {@code [4][units]}
 * @param scale of products
 */
record SixteenBitLstm(int inputs, int units, byte[] weights, int weightsZeroPoint, int[] bias, double scale)
        implements Op {
    private static final int GATES = 4;
    private static final int SUM_BITS = 12;
    private static final int GATE_BITS = 15;
    private static final int CELL_BITS = 11;
    /** Of what the weights multiply, and taken from the weights. */
    private static final int CENTRE = 128;
    /** Steps of a gate in one of the outputs'. */
    private static final double GATES_OF_OUTPUT = 256;

    private static final NumberTable SIGMOID = new NumberTable(x ->
            FixedPoint.encode(1 / (1 + StrictMath.exp(-FixedPoint.decode(x, SUM_BITS))), GATE_BITS));
    private static final NumberTable TANH =
            new NumberTable(x -> FixedPoint.encode(StrictMath.tanh(FixedPoint.decode(x, SUM_BITS)), GATE_BITS));

    @Override
    public ValueType result(List<ValueType> values) {
        int batch = values.get(0).dimension(0);
        if (values.get(0).count() != batch * inputs
                || values.get(1).count() != batch * units
                || values.get(2).count() != batch * units) {
            throw new IllegalArgumentException("input, cells, outputs before: " + values + " (expected: of " + inputs
                    + ", " + units + " and " + units + " for each sequence)");
        }
        return ValueType.floats(2 * batch * units);
    }

    @Override
    public Step compile(Operands operands) {
        int columns = inputs + units;
        int batch = operands.in(0).type().dimension(0);
        ByteSums product = new ByteSums(columns, GATES * units, weights);
        return new Step(1, memory -> {
            byte[] in = new byte[batch * columns];
            long[] sums = new long[batch * GATES * units];
            PlacedValue cells = operands.in(1);
            PlacedValue out = operands.out();
            return (begin, end) -> {
                for (int b = 0; b < batch; b++) {
                    System.arraycopy(
                            operands.in(0).bytes(memory),
                            operands.in(0).at(memory) + b * inputs,
                            in,
                            b * columns,
                            inputs);
                    System.arraycopy(
                            operands.in(2).bytes(memory),
                            operands.in(2).at(memory) + b * units,
                            in,
                            b * columns + inputs,
                            units);
                }
                product.run(in, 0, batch, false, CENTRE, sums);
                for (int b = 0; b < batch; b++) {
                    step(
                            sums,
                            b * GATES * units,
                            columnSum(in, b * columns, columns),
                            cells.floats(memory),
                            cells.at(memory) + b * units,
                            out.floats(memory),
                            out.at(memory) + b * units,
                            batch * units);
                }
            };
        });
    }

    private static long columnSum(byte[] in, int at, int count) {
        long sum = 0;
        for (int i = at; i < at + count; i++) {
            sum += (in[i] & 0xff) - CENTRE;
        }
        return sum;
    }

    /** @param outputs how far behind the cells the outputs go */
    private void step(
            long[] sums, int at, long columnSum, float[] before, int cellsAt, float[] out, int outAt, int outputs) {
        long correction = (CENTRE - weightsZeroPoint) * columnSum;
        for (int u = 0; u < units; u++) {
            int input = SIGMOID.at(sum(sums, at, 0, u, correction));
            int forget = SIGMOID.at(sum(sums, at, 1, u, correction));
            int candidate = TANH.at(sum(sums, at, 2, u, correction));
            int open = SIGMOID.at(sum(sums, at, 3, u, correction));
            double cell = before[cellsAt + u];
            int kept = FixedPoint.encode(FixedPoint.decode(forget, GATE_BITS) * cell, CELL_BITS);
            int added = FixedPoint.encode(
                    FixedPoint.decode(input, GATE_BITS) * FixedPoint.decode(candidate, GATE_BITS), CELL_BITS);
            int next = FixedPoint.saturate16(kept + added);
            // From 8 on, where sums end, the hyperbolic tangent is 1 in 15 bits.
            int tanh = TANH.at(FixedPoint.saturate16((long) next << SUM_BITS - CELL_BITS));
            int result = FixedPoint.encode(
                    FixedPoint.decode(open, GATE_BITS) * FixedPoint.decode(tanh, GATE_BITS), GATE_BITS);
            out[outAt + u] = (float) FixedPoint.decode(next, CELL_BITS);
            out[outAt + outputs + u] =
                    Math.max(0, Math.min(255, RoundingArithmetic.halfEven(result / GATES_OF_OUTPUT) + CENTRE));
        }
    }

    private int sum(long[] sums, int at, int gate, int unit, long correction) {
        int row = gate * units + unit;
        return FixedPoint.encode((sums[at + row] + correction + bias[row]) * scale, SUM_BITS);
    }

    @Override
    public long packedBytes() {
        return weights.length;
    }

    @Override
    public String label() {
        return "16-bit LSTM of " + units;
    }
}
