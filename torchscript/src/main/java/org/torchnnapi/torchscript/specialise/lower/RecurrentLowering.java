package org.torchnnapi.torchscript.specialise.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.DynamicLayer;
import org.torchnnapi.program.op.Recurrent;
import org.torchnnapi.program.op.Reshape;
import org.torchnnapi.program.op.Slice;
import org.torchnnapi.program.op.Transpose;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.packed.CellParams;
import org.torchnnapi.torchscript.aten.support.Args;
import org.torchnnapi.torchscript.value.ScriptList;

/** Layers of GRU and LSTM cells with constant weights, float32 or dynamically quantized, over sequences of equal length. */
final class RecurrentLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::gru", (lowered, node, a) -> {
            Support.require(a[2] instanceof ScriptList, "padded sequences");
            return new Network(lowered, Cell.GRU, a, floats(lowered, Cell.GRU, a)).run(Support.floats(a, 1), null);
        });
        r.add("aten::lstm", (lowered, node, a) -> {
            Support.require(a[1] instanceof ScriptList states && states.size() == 2, "padded sequences");
            List<Tensor> states = Args.tensors(a, 1);
            return new Network(lowered, Cell.LSTM, a, floats(lowered, Cell.LSTM, a)).run(states.get(0), states.get(1));
        });
        r.add("aten::quantized_gru", (lowered, node, a) -> {
            Support.require(a[2] instanceof ScriptList, "padded sequences");
            return new Network(lowered, Cell.GRU, a, dynamic(Cell.GRU, a)).run(Support.floats(a, 1), null);
        });
        r.add("aten::quantized_lstm", (lowered, node, a) -> {
            Support.require(a[1] instanceof ScriptList states && states.size() == 2 && a[2] instanceof ScriptList, "padded sequences");
            List<Tensor> states = Args.tensors(a, 1);
            return new Network(lowered, Cell.LSTM, a, dynamic(Cell.LSTM, a)).run(states.get(0), states.get(1));
        });
    }

    /** The operation for one layer and direction, by its index, on inputs of a width, with as many hidden units. */
    private interface Layers {
        Op of(int index, int inputs, int units, boolean reverse);
    }

    private static int count(Object[] a) {
        return Args.int32(a, 4) * (Args.flag(a, 7) ? 2 : 1);
    }

    private static Layers floats(Lowered lowered, Cell cell, Object[] a) {
        List<Tensor> params = Args.tensors(a, 2);
        boolean biases = Args.flag(a, 3);
        int each = biases ? 4 : 2;
        Support.require(params.size() == count(a) * each, "weights without projections");
        params.forEach(weight -> Support.require(weight.dtype() == DType.FLOAT32 && !lowered.varies(weight), "constant weights"));
        return (index, inputs, units, reverse) -> {
            List<Tensor> own = params.subList(index * each, (index + 1) * each);
            return new Recurrent(cell, inputs, units, Support.values(own.get(0)), Support.values(own.get(1)),
                biases ? Support.values(own.get(2)) : null, biases ? Support.values(own.get(3)) : null, reverse);
        };
    }

    private static Layers dynamic(Cell cell, Object[] a) {
        List<Object> params = ((ScriptList) a[2]).items();
        Support.require(params.size() == count(a), "parameters for each layer and direction");
        return (index, inputs, units, reverse) -> {
            CellParams own = CellParams.CLASS.unwrap(new Object[] {params.get(index)}, 0);
            return new DynamicLayer(cell, DynamicLowering.product(own.input(), false), DynamicLowering.product(own.hidden(), false), reverse);
        };
    }

    /** One call. */
    private static final class Network {
        private final Lowered lowered;
        private final Cell cell;
        private final Tensor input;
        private final Layers weights;
        private final int layers;
        private final int directions;
        private final boolean batchFirst;

        Network(Lowered lowered, Cell cell, Object[] a, Layers weights) {
            this.lowered = lowered;
            this.cell = cell;
            this.weights = weights;
            input = Support.floats(a, 0);
            layers = Args.int32(a, 4);
            directions = Args.flag(a, 7) ? 2 : 1;
            batchFirst = Args.flag(a, 8);
            Support.require(input.rank() == 3 && input.numel() > 0, "three dimensions");
            Support.require(!Args.flag(a, 6) || Args.real(a, 5) == 0, "no dropout");
        }

        Object[] run(Tensor hidden, Tensor cells) {
            Tensor x = batchFirst ? exchanged(input) : input;
            List<Tensor> lastHidden = new ArrayList<>();
            List<Tensor> lastCells = new ArrayList<>();
            for (int l = 0; l < layers; l++) {
                List<Tensor> outputs = new ArrayList<>();
                for (int d = 0; d < directions; d++) {
                    int index = l * directions + d;
                    Tensor out = direction(x, index, d == 1, state(hidden, index), cells == null ? null : state(cells, index));
                    int steps = x.size(0);
                    if (cells != null) {
                        lastCells.add(part(out, steps, 1));
                        out = part(out, 0, steps);
                    }
                    lastHidden.add(part(out, d == 1 ? 0 : steps - 1, 1));
                    outputs.add(out);
                }
                x = outputs.size() == 1 ? outputs.get(0) : ConcatenationLowering.cat(lowered, outputs, 2);
            }
            Tensor result = batchFirst ? exchanged(x) : x;
            Tensor h = ConcatenationLowering.cat(lowered, lastHidden, 0);
            return cells == null ? new Object[] {result, h} : new Object[] {result, h, ConcatenationLowering.cat(lowered, lastCells, 0)};
        }

        private Tensor direction(Tensor x, int index, boolean reverse, Tensor hidden, Tensor cells) {
            int units = hidden.size(1);
            Op op = weights.of(index, x.size(2), units, reverse);
            int rows = x.size(0) + (cells == null ? 0 : 1);
            Tensor result = Lowered.tensor(DType.FLOAT32, null, rows, x.size(1), units);
            return cells == null ? lowered.compute(op, result, x, hidden) : lowered.compute(op, result, x, hidden, cells);
        }

        /** The state of one layer and direction, [batch, hidden]. */
        private Tensor state(Tensor states, int index) {
            Support.require(states.rank() == 3 && states.dtype() == DType.FLOAT32 && index < states.size(0), "a state for each layer and direction");
            int[] sizes = {states.size(1), states.size(2)};
            if (!lowered.varies(states)) {
                int count = sizes[0] * sizes[1];
                return Tensor.of(Arrays.copyOfRange(Support.values(states), index * count, (index + 1) * count), sizes);
            }
            return lowered.compute(new Reshape(sizes), Lowered.tensor(DType.FLOAT32, null, sizes), part(states, index, 1));
        }

        /** Rows of the first dimension. */
        private Tensor part(Tensor t, int begin, int count) {
            int[] sizes = {count, t.size(1), t.size(2)};
            return lowered.compute(new Slice(new int[] {begin, 0, 0}, sizes, new int[] {1, 1, 1}), Lowered.tensor(DType.FLOAT32, null, sizes), t);
        }

        /** With the first two dimensions exchanged, which costs nothing where one of them is 1. */
        private Tensor exchanged(Tensor t) {
            Tensor turned = t.permute(1, 0, 2);
            boolean trivial = t.size(0) == 1 || t.size(1) == 1;
            return lowered.compute(trivial ? new Reshape(turned.sizes()) : new Transpose(new int[] {1, 0, 2}), turned, t);
        }
    }
}
