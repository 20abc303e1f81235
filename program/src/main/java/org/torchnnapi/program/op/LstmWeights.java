package org.torchnnapi.program.op;

/**
 * The parameters of an LSTM layer that act at every step, those of its inputs apart. Gates are in the order input,
 * forget, cell, output; where the input gate is coupled to the forget gate, it has none.
 *
 * @param units cells
 * @param outputs numbers that a step gives and takes back, as many as units where there is no projection
 * @param coupled whether the input gate is one less the forget gate (Greff et al., LSTM: A Search Space Odyssey, 2017:
 *     CIFG)
 * @param recurrent {@code [gates * units][outputs]}
 * @param peephole by which the cells act on input, forget and output gate, {@code [(3, coupled 2) * units]}; null for
 *     none
 * @param normalization scales of the sums once they have mean 0 and variance 1 (Ba et al., Layer Normalization, 2016),
 *     {@code [gates * units]}; null where the sums stay as they are
 * @param bias added to normalized sums, {@code [gates * units]}; null where the sums stay as they are and have theirs
 * @param projection {@code [outputs][units]}, or null for none
 * @param projectionBias one an output, or null for none
 */
public record LstmWeights(
        int units,
        int outputs,
        boolean coupled,
        float[] recurrent,
        float[] peephole,
        float[] normalization,
        float[] bias,
        float[] projection,
        float[] projectionBias) {
    public LstmWeights {
        int gates = coupled ? 3 : 4;
        requireLength("recurrent weights", recurrent, (long) gates * units * outputs);
        requireLength("peephole weights", peephole, (long) (gates - 1) * units);
        requireLength("normalization weights", normalization, (long) gates * units);
        requireLength("bias of normalized sums", bias, (long) gates * units);
        requireLength("projection weights", projection, (long) outputs * units);
        requireLength("projection bias", projectionBias, outputs);
        if (projection == null && outputs != units) {
            throw new IllegalArgumentException(
                    "outputs: " + outputs + " (expected: " + units + ", one a unit without projection)");
        }
        if (normalization == null != (bias == null)) {
            throw new IllegalArgumentException("bias: " + (bias == null ? "none" : "given")
                    + " (expected: where sums are normalized, and only there)");
        }
    }

    private static void requireLength(String name, float[] values, long expected) {
        if (values != null && values.length != expected) {
            throw new IllegalArgumentException(name + ": " + values.length + " (expected: " + expected + ")");
        }
    }

    public int gates() {
        return coupled ? 3 : 4;
    }
}
