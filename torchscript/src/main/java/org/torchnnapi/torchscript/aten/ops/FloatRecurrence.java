package org.torchnnapi.torchscript.aten.ops;

import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Elements;
import org.torchnnapi.torchscript.aten.support.RecurrentCell;
import org.torchnnapi.torchscript.aten.support.RecurrentLayer;
import org.torchnnapi.torchscript.aten.support.Tensors;

/** Networks of float32 GRU or LSTM layers over sequences of equal length, by the kernels. */
final class FloatRecurrence {
    private FloatRecurrence() {
    }

    /** @param layers all layers and directions of the network */
    static boolean covers(Tensor input, List<RecurrentLayer> layers) {
        return input.dtype() == DType.FLOAT32 && layers.stream().allMatch(layer -> layer.projection() == null
            && (layer.cell() == RecurrentCell.GRU || layer.cell() == RecurrentCell.LSTM));
    }

    /**
     * Runs all layers.
     *
     * @param input  [time, batch, input]
     * @param hidden [layers * directions, batch, hidden]
     * @param cells  likewise for an LSTM, else null
     * @return the output [time, batch, directions * hidden], the last hidden states and for an LSTM cell states
     */
    static Object[] run(Tensor input, Tensor hidden, Tensor cells, List<RecurrentLayer> layers, int directions) {
        int time = input.size(0);
        int batch = input.size(1);
        Tensor lastHidden = hidden.copy(MemoryFormat.CONTIGUOUS);
        Tensor lastCells = cells == null ? null : cells.copy(MemoryFormat.CONTIGUOUS);
        float[] h = lastHidden.storage().floatArray();
        float[] c = cells == null ? null : lastCells.storage().floatArray();
        float[] in = Elements.floats(input);
        Tensor output = null;
        int at = 0;
        for (int l = 0; l < layers.size(); l += directions) {
            RecurrentLayer first = layers.get(l);
            int width = directions * first.hiddenSize();
            output = Tensors.empty(DType.FLOAT32, time, batch, width);
            float[] out = output.storage().floatArray();
            require(in.length == (long) time * batch * first.inputSize() && at + batch * width <= h.length
                && (c == null || at + batch * width <= c.length), input, first);
            Strides inAt = new Strides(0, batch * first.inputSize(), first.inputSize());
            for (int d = 0; d < directions; d++) {
                RecurrentLayer layer = layers.get(l + d);
                planned(layer).run(in, inAt, out, new Strides(d * layer.hiddenSize(), batch * width, width), time, batch, d == 1, h, at, c, at,
                    KernelPool.shared());
                at += batch * layer.hiddenSize();
            }
            in = out;
        }
        return cells == null ? new Object[] {output, lastHidden} : new Object[] {output, lastHidden, lastCells};
    }

    private static FloatRecurrent planned(RecurrentLayer layer) {
        Cell cell = layer.cell() == RecurrentCell.GRU ? Cell.GRU : Cell.LSTM;
        return FloatRecurrent.plan(cell, layer.inputSize(), layer.hiddenSize(), Elements.floats(layer.inputWeight()),
            Elements.floats(layer.outputWeight()), floatsOrNull(layer.inputBias()), floatsOrNull(layer.outputBias()));
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
