package org.torchnnapi.operators.ops;

import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.RecurrentCell;
import org.torchnnapi.operators.support.RecurrentLayer;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Networks of float32 layers without projections, by the kernels. */
final class FloatRecurrence {
    /** One layer in one direction over steps that all have as many sequences. */
    private interface Run {
        /**
         * @param out rows of {@code width} elements, from {@code outAt}
         * @param h the sequences' states from {@code at}, replaced by those after the last step
         * @param c an LSTM's cell states, likewise
         */
        void steps(
                float[] out,
                int outAt,
                int width,
                PackedSequences.Segment segment,
                boolean reverse,
                float[] h,
                float[] c,
                int at);
    }

    private FloatRecurrence() {}

    /** @param layers all layers and directions of the network */
    static boolean covers(Tensor input, Tensor hidden, Tensor cells, List<RecurrentLayer> layers) {
        return input.dtype() == DType.FLOAT32
                && hidden.dtype() == DType.FLOAT32
                && input.size(-1) > 0
                && (cells == null || cells.dtype() == DType.FLOAT32)
                && layers.stream().allMatch(layer -> layer.projection() == null);
    }

    /**
     * Runs all layers.
     *
     * @param data [rows, input], packed
     * @param hidden [layers * directions, batch, hidden]
     * @param cells likewise for an LSTM, else null
     * @return the output [rows, directions * hidden], the last hidden states and for an LSTM cell states
     */
    static Object[] run(
            Tensor data,
            PackedSequences sequences,
            Tensor hidden,
            Tensor cells,
            List<RecurrentLayer> layers,
            int directions) {
        int batch = sequences.lengths().length;
        int rows = sequences.rows();
        Tensor lastHidden = hidden.copy(MemoryFormat.CONTIGUOUS);
        Tensor lastCells = cells == null ? null : cells.copy(MemoryFormat.CONTIGUOUS);
        float[] h = lastHidden.storage().floatArray();
        float[] c = cells == null ? null : lastCells.storage().floatArray();
        float[] in = Elements.floats(data);
        Tensor output = null;
        int at = 0;
        for (int l = 0; l < layers.size(); l += directions) {
            RecurrentLayer first = layers.get(l);
            int width = directions * first.hiddenSize();
            output = Tensors.empty(DType.FLOAT32, rows, width);
            float[] out = output.storage().floatArray();
            require(
                    in.length == (long) rows * first.inputSize()
                            && at + batch * width <= h.length
                            && (c == null || at + batch * width <= c.length),
                    data,
                    first);
            for (int d = 0; d < directions; d++) {
                RecurrentLayer layer = layers.get(l + d);
                Run run = planned(layer, in, rows);
                List<PackedSequences.Segment> segments = sequences.segments();
                for (int i = 0; i < segments.size(); i++) {
                    // Backward, sequences that are longer have begun when others join them with the states they begin
                    // with.
                    PackedSequences.Segment segment = segments.get(d == 1 ? segments.size() - 1 - i : i);
                    run.steps(out, segment.row() * width + d * layer.hiddenSize(), width, segment, d == 1, h, c, at);
                }
                at += batch * layer.hiddenSize();
            }
            in = out;
        }
        return cells == null ? new Object[] {output, lastHidden} : new Object[] {output, lastHidden, lastCells};
    }

    private static Run planned(RecurrentLayer layer, float[] in, int rows) {
        int inputs = layer.inputSize();
        float[] inputWeights = Elements.floats(layer.inputWeight());
        float[] hiddenWeights = Elements.floats(layer.outputWeight());
        float[] inputBias = floatsOrNull(layer.inputBias());
        float[] hiddenBias = floatsOrNull(layer.outputBias());
        if (layer.cell() == RecurrentCell.RNN_TANH || layer.cell() == RecurrentCell.RNN_RELU) {
            PlainRecurrence plain = new PlainRecurrence(
                    layer.cell() == RecurrentCell.RNN_TANH,
                    inputs,
                    layer.hiddenSize(),
                    inputWeights,
                    hiddenWeights,
                    inputBias,
                    hiddenBias);
            float[] sums = plain.sums(in, rows);
            return (out, outAt, width, segment, reverse, h, c, at) -> plain.run(
                    sums,
                    segment.row() * layer.hiddenSize(),
                    out,
                    outAt,
                    width,
                    segment.steps(),
                    segment.sequences(),
                    reverse,
                    h,
                    at);
        }
        Cell cell = layer.cell() == RecurrentCell.GRU ? Cell.GRU : Cell.LSTM;
        FloatRecurrent packed = FloatRecurrent.plan(
                cell, inputs, layer.hiddenSize(), inputWeights, hiddenWeights, inputBias, hiddenBias);
        return (out, outAt, width, segment, reverse, h, c, at) -> packed.run(
                in,
                new Strides(segment.row() * inputs, segment.sequences() * inputs, inputs),
                out,
                new Strides(outAt, segment.sequences() * width, width),
                segment.steps(),
                segment.sequences(),
                reverse,
                h,
                at,
                c,
                at,
                KernelPool.shared());
    }

    private static float[] floatsOrNull(Tensor tensor) {
        return tensor == null ? null : Elements.floats(tensor);
    }

    private static void require(boolean fits, Tensor input, RecurrentLayer layer) {
        if (!fits) {
            throw new IllegalArgumentException("input: " + input + " (expected: last dimension " + layer.inputSize()
                    + ", and a hidden state of " + layer.hiddenSize() + " for each sequence)");
        }
    }
}
