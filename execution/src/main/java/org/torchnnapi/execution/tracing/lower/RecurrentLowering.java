package org.torchnnapi.execution.tracing.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.operators.packed.CellParams;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.DynamicLayerOp;
import org.torchnnapi.program.op.RecurrentDirectionsOp;
import org.torchnnapi.program.op.RecurrentOp;
import org.torchnnapi.program.op.RecurrentStackOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.RnnStepsOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Layers of recurrent cells with constant weights over sequences of equal length, and single steps of cells; those of
 * GRU and LSTM also dynamically quantized.
 */
final class RecurrentLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::gru", (lowered, node, a) -> {
            Support.require(a[2] instanceof ScriptList, "padded sequences");
            return new Network(lowered, a, floats(lowered, Cell.GRU, a)).run(Support.floats(a, 1), null);
        });
        r.add("aten::lstm", (lowered, node, a) -> {
            Support.require(a[1] instanceof ScriptList states && states.size() == 2, "padded sequences");
            List<Tensor> states = Args.tensors(a, 1);
            return new Network(lowered, a, floats(lowered, Cell.LSTM, a)).run(states.get(0), states.get(1));
        });
        elman(r, "tanh", CellFunction.TANH);
        elman(r, "relu", CellFunction.RELU);
        r.add("aten::lstm_cell", (lowered, node, a) -> {
            List<Tensor> states = Args.tensors(a, 1);
            Support.require(states.size() == 2, "two states");
            return cell(lowered, Cell.LSTM, a, states.get(0), states.get(1));
        });
        r.add("aten::gru_cell", (lowered, node, a) -> cell(lowered, Cell.GRU, a, Support.floats(a, 1), null));
        r.add("aten::quantized_gru", (lowered, node, a) -> {
            Support.require(a[2] instanceof ScriptList, "padded sequences");
            return new Network(lowered, a, dynamic(lowered, Cell.GRU, a)).run(Support.floats(a, 1), null);
        });
        r.add("aten::quantized_lstm", (lowered, node, a) -> {
            Support.require(
                    a[1] instanceof ScriptList states && states.size() == 2 && a[2] instanceof ScriptList,
                    "padded sequences");
            List<Tensor> states = Args.tensors(a, 1);
            return new Network(lowered, a, dynamic(lowered, Cell.LSTM, a)).run(states.get(0), states.get(1));
        });
    }

    private static void elman(Registrar r, String name, CellFunction function) {
        r.add("aten::rnn_" + name, (lowered, node, a) -> {
            Support.require(a[2] instanceof ScriptList, "padded sequences");
            LayerWeights weights = new LayerWeights(lowered, a);
            return new Network(lowered, a, (index, x, states, reverse) -> {
                        int units = states.get(0).size(1);
                        Tensor sums = LinearLowering.linear(
                                lowered, x, weights.ofInput(index), weights.biases(index), Clamp.NONE);
                        return lowered.compute(
                                new RnnStepsOp(units, weights.matrix(index, 1), function, reverse),
                                Lowered.tensor(DType.FLOAT32, null, sums.sizes()),
                                sums,
                                states.get(0));
                    })
                    .run(Support.floats(a, 1), null);
        });
    }

    /** One step of a batch. */
    private static Object cell(Lowered lowered, Cell cell, Object[] a, Tensor hidden, Tensor cells) {
        Tensor x = Support.floats(a, 0);
        Support.require(x.rank() == 2 && hidden.rank() == 2, "batches");
        int inputs = x.size(1);
        int[] sizes = hidden.sizes();
        Op op = new RecurrentOp(
                cell,
                inputs,
                sizes[1],
                Support.weights(Support.constant(lowered, a, 2)),
                Support.weights(Support.constant(lowered, a, 3)),
                Support.valuesOrNull(Support.constantOrNull(lowered, a, 4)),
                Support.valuesOrNull(Support.constantOrNull(lowered, a, 5)),
                false);
        int[] step = {1, x.size(0), inputs};
        Tensor in = lowered.compute(new ReshapeOp(step), Lowered.tensor(DType.FLOAT32, null, step), x);
        Tensor result = Lowered.tensor(DType.FLOAT32, null, cells == null ? 1 : 2, sizes[0], sizes[1]);
        if (cells == null) {
            return row(lowered, lowered.compute(op, result, in, hidden), 0, sizes);
        }
        Tensor both = lowered.compute(op, result, in, hidden, cells);
        return new Object[] {row(lowered, both, 0, sizes), row(lowered, both, 1, sizes)};
    }

    private static Tensor row(Lowered lowered, Tensor t, int row, int[] sizes) {
        int[] one = {1, sizes[0], sizes[1]};
        Tensor part = lowered.compute(
                new SliceOp(new int[] {row, 0, 0}, one, new int[] {1, 1, 1}),
                Lowered.tensor(DType.FLOAT32, null, one),
                t);
        return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(DType.FLOAT32, null, sizes), part);
    }

    /** The constant weights of all layers and directions. */
    private static final class LayerWeights {
        private final List<Tensor> params;
        private final int each;

        LayerWeights(Lowered lowered, Object[] a) {
            params = Args.tensors(a, 2);
            each = Args.flag(a, 3) ? 4 : 2;
            Support.require(params.size() == count(a) * each, "weights without projections");
            params.forEach(weight ->
                    Support.require(weight.dtype() == DType.FLOAT32 && !lowered.varies(weight), "constant weights"));
        }

        /** A layer's weights of the input. */
        Tensor ofInput(int index) {
            return params.get(index * each);
        }

        /** A layer's biases added up, or null for none. */
        Tensor biases(int index) {
            if (each == 2) {
                return null;
            }
            float[] sum = bias(index, 2).clone();
            float[] other = bias(index, 3);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += other[i];
            }
            return Tensor.of(sum, sum.length);
        }

        /** Of a layer and direction: weights of the input, number 0, or of the output before, number 1. */
        Weights matrix(int index, int which) {
            return Support.weights(params.get(index * each + which));
        }

        /** The biases of the input, number 2, or of the output before, number 3; null for none. */
        float[] bias(int index, int which) {
            return which < each ? Support.values(params.get(index * each + which)) : null;
        }
    }

    /**
     * One layer in one direction, by its index: from {@code [steps, batch, inputs]} and the states before,
     * {@code [batch, hidden]}, to what {@link RecurrentOp} gives.
     */
    private interface Layers {
        Tensor run(int index, Tensor x, List<Tensor> states, boolean reverse);

        /** All layers in one operation like {@link RecurrentStackOp}; null where they are to be one after the other. */
        default Op stack(int layers, Tensor x, int hidden) {
            return null;
        }

        /**
         * Both directions of a layer, by the forward one's index, in one operation like {@link RecurrentDirectionsOp};
         * null where they are to be apart.
         */
        default Op directions(int index, Tensor x, int hidden) {
            return null;
        }
    }

    /** What an operation like {@link RecurrentOp} gives. */
    private static Tensor computed(Lowered lowered, Op op, Tensor x, List<Tensor> states) {
        Tensor result = Lowered.tensor(
                DType.FLOAT32,
                null,
                x.size(0) + states.size() - 1,
                x.size(1),
                states.get(0).size(1));
        return states.size() == 1
                ? lowered.compute(op, result, x, states.get(0))
                : lowered.compute(op, result, x, states.get(0), states.get(1));
    }

    private static int count(Object[] a) {
        return Args.int32(a, 4) * (Args.flag(a, 7) ? 2 : 1);
    }

    private static Layers floats(Lowered lowered, Cell cell, Object[] a) {
        return new FloatLayers(lowered, cell, new LayerWeights(lowered, a));
    }

    private record FloatLayers(Lowered lowered, Cell cell, LayerWeights weights) implements Layers {
        private RecurrentOp layer(int index, int inputs, int hidden, boolean reverse) {
            return new RecurrentOp(
                    cell,
                    inputs,
                    hidden,
                    weights.matrix(index, 0),
                    weights.matrix(index, 1),
                    weights.bias(index, 2),
                    weights.bias(index, 3),
                    reverse);
        }

        @Override
        public Tensor run(int index, Tensor x, List<Tensor> states, boolean reverse) {
            return computed(lowered, layer(index, x.size(2), states.get(0).size(1), reverse), x, states);
        }

        @Override
        public Op stack(int layers, Tensor x, int hidden) {
            return !RecurrentStackOp.suits(cell, hidden, layers, x.size(0), x.size(1))
                    ? null
                    : new RecurrentStackOp(IntStream.range(0, layers)
                            .mapToObj(i -> layer(i, i == 0 ? x.size(2) : hidden, hidden, false))
                            .collect(Streams.toList()));
        }

        @Override
        public Op directions(int index, Tensor x, int hidden) {
            return !RecurrentDirectionsOp.suits(cell, hidden)
                    ? null
                    : new RecurrentDirectionsOp(
                            layer(index, x.size(2), hidden, false), layer(index + 1, x.size(2), hidden, true));
        }
    }

    private static Layers dynamic(Lowered lowered, Cell cell, Object[] a) {
        List<Object> params = ((ScriptList) a[2]).items();
        Support.require(params.size() == count(a), "parameters for each layer and direction");
        return (index, x, states, reverse) -> {
            CellParams own = CellParams.CLASS.unwrap(new Object[] {params.get(index)}, 0);
            return computed(
                    lowered,
                    new DynamicLayerOp(
                            cell,
                            DynamicLowering.product(own.input(), false),
                            DynamicLowering.product(own.hidden(), false),
                            reverse),
                    x,
                    states);
        };
    }

    /** One call. */
    private static final class Network {
        private final Lowered lowered;
        private final Tensor input;
        private final Layers weights;
        private final int layers;
        private final int directions;
        private final boolean batchFirst;

        Network(Lowered lowered, Object[] a, Layers weights) {
            this.lowered = lowered;
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
            Op stack =
                    directions == 1 ? weights.stack(layers, x, state(hidden, 0).size(1)) : null;
            return stack == null ? oneByOne(x, hidden, cells) : stacked(stack, x, hidden, cells);
        }

        private Object[] stacked(Op stack, Tensor x, Tensor hidden, Tensor cells) {
            List<Tensor> values = new ArrayList<>(List.of(x));
            for (int l = 0; l < layers; l++) {
                values.add(state(hidden, l));
                if (cells != null) {
                    values.add(state(cells, l));
                }
            }
            int steps = x.size(0);
            Tensor all = lowered.compute(
                    stack,
                    Lowered.tensor(
                            DType.FLOAT32,
                            null,
                            steps + values.size() - 1,
                            x.size(1),
                            values.get(1).size(1)),
                    values.toArray(new Tensor[0]));
            Tensor outputs = part(all, 0, steps);
            Tensor result = batchFirst ? exchanged(outputs) : outputs;
            Tensor h = part(all, steps, layers);
            return cells == null
                    ? new Object[] {result, h}
                    : new Object[] {result, h, part(all, steps + layers, layers)};
        }

        private Object[] oneByOne(Tensor sequences, Tensor hidden, Tensor cells) {
            Tensor x = sequences;
            List<Tensor> lastHidden = new ArrayList<>();
            List<Tensor> lastCells = new ArrayList<>();
            for (int l = 0; l < layers; l++) {
                Op both = directions == 1
                        ? null
                        : weights.directions(2 * l, x, state(hidden, 2 * l).size(1));
                if (both != null) {
                    x = bothDirections(both, l, x, hidden, cells, lastHidden, lastCells);
                    continue;
                }
                List<Tensor> outputs = new ArrayList<>();
                for (int d = 0; d < directions; d++) {
                    int index = l * directions + d;
                    List<Tensor> states = states(index, hidden, cells);
                    Tensor out = weights.run(index, x, states, d == 1);
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
            return cells == null
                    ? new Object[] {result, h}
                    : new Object[] {result, h, ConcatenationLowering.cat(lowered, lastCells, 0)};
        }

        private List<Tensor> states(int index, Tensor hidden, Tensor cells) {
            return cells == null ? List.of(state(hidden, index)) : List.of(state(hidden, index), state(cells, index));
        }

        /** A layer's outputs in both directions; its states afterwards are added to the last ones. */
        private Tensor bothDirections(
                Op both,
                int layer,
                Tensor x,
                Tensor hidden,
                Tensor cells,
                List<Tensor> lastHidden,
                List<Tensor> lastCells) {
            List<Tensor> values = new ArrayList<>(List.of(x));
            values.addAll(states(2 * layer, hidden, cells));
            values.addAll(states(2 * layer + 1, hidden, cells));
            int steps = x.size(0);
            int batch = x.size(1);
            int units = values.get(1).size(1);
            Tensor all = lowered.compute(
                    both,
                    Lowered.tensor(DType.FLOAT32, null, steps + (cells == null ? 1 : 2), batch, 2 * units),
                    values.toArray(new Tensor[0]));
            lastHidden.add(reshaped(part(all, steps, 1), 2, batch, units));
            if (cells != null) {
                lastCells.add(reshaped(part(all, steps + 1, 1), 2, batch, units));
            }
            return part(all, 0, steps);
        }

        private Tensor reshaped(Tensor t, int... sizes) {
            return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(DType.FLOAT32, null, sizes), t);
        }

        /** The state of one layer and direction, [batch, hidden]. */
        private Tensor state(Tensor states, int index) {
            Support.require(
                    states.rank() == 3 && states.dtype() == DType.FLOAT32 && index < states.size(0),
                    "a state for each layer and direction");
            int[] sizes = {states.size(1), states.size(2)};
            if (!lowered.varies(states)) {
                int count = sizes[0] * sizes[1];
                return Tensor.of(Arrays.copyOfRange(Support.values(states), index * count, (index + 1) * count), sizes);
            }
            return reshaped(part(states, index, 1), sizes);
        }

        /** Rows of the first dimension. */
        private Tensor part(Tensor t, int begin, int count) {
            int[] sizes = {count, t.size(1), t.size(2)};
            return lowered.compute(
                    new SliceOp(new int[] {begin, 0, 0}, sizes, new int[] {1, 1, 1}),
                    Lowered.tensor(DType.FLOAT32, null, sizes),
                    t);
        }

        /** With the first two dimensions exchanged, which costs nothing where one of them is 1. */
        private Tensor exchanged(Tensor t) {
            Tensor turned = t.permute(1, 0, 2);
            boolean trivial = t.size(0) == 1 || t.size(1) == 1;
            return lowered.compute(
                    trivial ? new ReshapeOp(turned.sizes()) : new TransposeOp(new int[] {1, 0, 2}), turned, t);
        }
    }
}
