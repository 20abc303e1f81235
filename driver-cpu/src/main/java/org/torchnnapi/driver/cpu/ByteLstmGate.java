package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.op.FixedPoint;
import org.torchnnapi.nnapi.op.RoundingArithmetic;

/**
 * A gate of {@link ByteLstm}.
 *
 * @param input weights {@code [units][inputs]}
 * @param recurrent weights {@code [units][outputs]}
 * @param bias {@code [units]}; added after layer normalization where there is one, before otherwise
 * @param peephole {@code [units]}, or null for none
 * @param normalization weights of layer normalization {@code [units]}, counted in {@code normalizationScale}; null for
 *     none
 * @param inputScale of products with the input
 * @param recurrentScale of products with the output before
 * @param step what sums are counted in
 */
record ByteLstmGate(
        byte[] input,
        byte[] recurrent,
        int[] bias,
        float[] peephole,
        short[] normalization,
        float normalizationScale,
        double inputScale,
        double recurrentScale,
        double step) {
    static final int SUM_BITS = 12;
    private static final int GATE_BITS = 15;

    private static final NumberTable SIGMOID = new NumberTable(x -> FixedPoint.sigmoid(x, SUM_BITS));
    private static final NumberTable TANH = new NumberTable(x -> FixedPoint.tanh(x, SUM_BITS));

    /**
     * What the gate is for each unit.
     *
     * @param inputSums products with the input, summed up, from {@code at} on; likewise {@code outputSums} with the
     *     output before
     * @param cell what the peephole sees
     * @param tanh whether the gate's function is the hyperbolic tangent, otherwise it is the sigmoid
     */
    double[] values(long[] inputSums, long[] outputSums, int at, double[] cell, boolean tanh) {
        double[] values = new double[cell.length];
        for (int u = 0; u < values.length; u++) {
            long fromInput = inputSums[at + u] + (normalization == null ? bias[u] : 0);
            long scaled = FixedPoint.saturate16(FixedPoint.multiply(fromInput, inputScale / step));
            values[u] = FixedPoint.saturate16(scaled + FixedPoint.multiply(outputSums[at + u], recurrentScale / step))
                    * step;
            if (peephole != null) {
                values[u] +=
                        FixedPoint.saturate16(RoundingArithmetic.halfAwayFromZero(peephole[u] * cell[u] / step)) * step;
            }
        }
        if (normalization != null) {
            FixedPoint.normalize(values, step, u -> normalization[u], normalizationScale, u -> bias[u], SUM_BITS);
        }
        NumberTable table = tanh ? TANH : SIGMOID;
        for (int u = 0; u < values.length; u++) {
            values[u] = FixedPoint.decode(table.at(FixedPoint.encode(values[u], SUM_BITS)), GATE_BITS);
        }
        return values;
    }
}
