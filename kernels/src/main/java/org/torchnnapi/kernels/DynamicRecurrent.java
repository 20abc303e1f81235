package org.torchnnapi.kernels;

import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.internal.DynamicKernels;

/**
 * One direction of a dynamically quantized recurrent layer, as PyTorch computes it: the inputs of all steps become
 * bytes by one range, the outputs of a step of all sequences by another. Cells are those of {@link Cell}.
 */
public final class DynamicRecurrent {
    private static final int GREATEST = 255;

    private final Cell cell;
    private final DynamicProduct input;
    private final DynamicProduct hidden;
    private final DynamicKernels kernels = DynamicKernels.chosen();

    private DynamicRecurrent(Cell cell, DynamicProduct input, DynamicProduct hidden) {
        this.cell = cell;
        this.input = input;
        this.hidden = hidden;
    }

    /**
     * @param input from a step's input to the sums of all gates, gate after gate in the order of the cell
     * @param hidden from the output of the step before to the same
     */
    public static DynamicRecurrent of(Cell cell, DynamicProduct input, DynamicProduct hidden) {
        Check.length("gates of the output before", hidden.outputs(), (long) cell.gates() * hidden.inputs());
        Check.length("gates of the input", input.outputs(), hidden.outputs());
        return new DynamicRecurrent(cell, input, hidden);
    }

    /** What one run computes in. */
    public static final class Scratch {
        private final byte[] bytes;
        private final float[] ofInput;
        private final float[] ofHidden;
        private final float[] states;
        private final float[] range = new float[2];

        private Scratch(int bytes, int ofInput, int ofHidden, int states) {
            this.bytes = new byte[bytes];
            this.ofInput = new float[ofInput];
            this.ofHidden = new float[ofHidden];
            this.states = new float[states];
        }
    }

    /** Room for so many steps of so many sequences. */
    public Scratch scratch(int steps, int sequences) {
        int rows = Math.multiplyExact(steps, sequences);
        int units = hidden.inputs();
        int bytes = Math.max(
                Math.multiplyExact(rows, DynamicProduct.rowBytes(input.inputs())),
                sequences * DynamicProduct.rowBytes(units));
        return new Scratch(
                bytes, Math.multiplyExact(rows, input.outputs()), sequences * hidden.outputs(), 2 * sequences * units);
    }

    /**
     * Runs all steps.
     *
     * @param in {@code [steps][sequences][inputs]}
     * @param out {@code [steps][sequences][hidden]}, outputs at the places of their inputs
     * @param reverse from the last step to the first
     * @param state {@code [sequences][hidden]}, the output before the first step; replaced by that of the last
     * @param cells an LSTM's cell state, likewise; unused by others
     * @param scratch of {@link #scratch} for as many or more
     */
    public void run(
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int steps,
            int sequences,
            boolean reverse,
            float[] state,
            int stateOffset,
            float[] cells,
            int cellOffset,
            Scratch scratch) {
        int units = hidden.inputs();
        int width = sequences * units;
        int rows = steps * sequences;
        Check.room("input", in.length, inOffset, (long) rows * input.inputs());
        Check.room("output", out.length, outOffset, (long) steps * width);
        Check.room("state", state.length, stateOffset, width);
        Check.room("scratch", scratch.ofInput.length, 0, (long) rows * input.outputs());
        multiply(input, in, inOffset, rows, scratch, scratch.ofInput);
        float[] states = scratch.states;
        System.arraycopy(state, stateOffset, states, 0, width);
        if (cell == Cell.LSTM) {
            System.arraycopy(cells, cellOffset, states, width, width);
        }
        int gates = hidden.outputs();
        for (int i = 0; i < steps; i++) {
            int step = reverse ? steps - 1 - i : i;
            multiply(hidden, states, 0, sequences, scratch, scratch.ofHidden);
            for (int s = 0; s < sequences; s++) {
                kernels.gates(
                        cell,
                        units,
                        scratch.ofInput,
                        (step * sequences + s) * gates,
                        scratch.ofHidden,
                        s * gates,
                        states,
                        s * units,
                        width + s * units);
            }
            System.arraycopy(states, 0, out, outOffset + step * width, width);
        }
        System.arraycopy(states, 0, state, stateOffset, width);
        if (cell == Cell.LSTM) {
            System.arraycopy(states, width, cells, cellOffset, width);
        }
    }

    private void multiply(DynamicProduct product, float[] rows, int at, int count, Scratch scratch, float[] out) {
        kernels.range(rows, at, count * product.inputs(), scratch.range, 0);
        DynamicQuantization q = DynamicQuantization.of(scratch.range[0], scratch.range[1], 0, GREATEST);
        q.quantize(rows, at, scratch.bytes, 0, count, product.inputs());
        product.run(scratch.bytes, 0, count, q, out, 0, 0, product.units());
    }
}
