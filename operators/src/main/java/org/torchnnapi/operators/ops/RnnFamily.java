package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;
import static org.torchnnapi.operators.support.Args.tensors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.RecurrentCell;
import org.torchnnapi.operators.support.RecurrentLayer;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Recurrent networks of several layers and directions, over padded or packed sequences, and their single steps. */
public final class RnnFamily implements OperatorFamily {
    /**
     * What an operator call describes.
     *
     * @param cells the LSTM's cell states, or null
     */
    private record Network(
            RecurrentCell cell,
            Tensor hidden,
            Tensor cells,
            List<Tensor> params,
            boolean biases,
            int layers,
            boolean bidirectional) {
        int directions() {
            return bidirectional ? 2 : 1;
        }
    }

    @Override
    public void register(Registrar r) {
        Registrar trained = r.with(OperatorTrait.TRAINS);
        trained.op(
                "aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, "
                        + "float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, "
                        + "Tensor)",
                a -> padded(lstm(a, 1), tensor(a, 0), flag(a, 8)));
        trained.op(
                "aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, "
                        + "int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)",
                a -> packed(lstm(a, 2), tensor(a, 0), tensor(a, 1)));
        plain(trained, "gru", RecurrentCell.GRU);
        plain(trained, "rnn_tanh", RecurrentCell.RNN_TANH);
        plain(trained, "rnn_relu", RecurrentCell.RNN_RELU);
        r.op(
                "aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, "
                        + "Tensor? b_hh=None) -> (Tensor, Tensor)",
                a -> {
                    List<Tensor> state = tensors(a, 1);
                    if (state.size() != 2) {
                        throw new IllegalArgumentException("lstm_cell expects two hidden states");
                    }
                    return step(RecurrentCell.LSTM, a, state.get(0), state.get(1));
                });
        r.op(
                "aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? "
                        + "b_hh=None)"
                        + " -> Tensor",
                a -> step(RecurrentCell.GRU, a, tensor(a, 1), null));
        r.op(
                "aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, "
                        + "Tensor? b_hh=None) -> Tensor",
                a -> step(RecurrentCell.RNN_TANH, a, tensor(a, 1), null));
        r.op(
                "aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, "
                        + "Tensor? b_hh=None) -> Tensor",
                a -> step(RecurrentCell.RNN_RELU, a, tensor(a, 1), null));
    }

    private static void plain(Registrar r, String name, RecurrentCell cell) {
        r.op(
                "aten::" + name
                        + ".input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
                        + "dropout, "
                        + "bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
                a -> padded(
                        new Network(cell, tensor(a, 1), null, tensors(a, 2), flag(a, 3), int32(a, 4), flag(a, 7)),
                        tensor(a, 0),
                        flag(a, 8)));
        r.op(
                "aten::" + name
                        + ".data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int "
                        + "num_layers, "
                        + "float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
                a -> packed(
                        new Network(cell, tensor(a, 2), null, tensors(a, 3), flag(a, 4), int32(a, 5), flag(a, 8)),
                        tensor(a, 0),
                        tensor(a, 1)));
    }

    /** @param at position of {@code hx} among the arguments */
    private static Network lstm(Object[] a, int at) {
        List<Tensor> state = tensors(a, at);
        if (state.size() != 2) {
            throw new IllegalArgumentException("lstm expects two hidden states");
        }
        return new Network(
                RecurrentCell.LSTM,
                state.get(0),
                state.get(1),
                tensors(a, at + 1),
                flag(a, at + 2),
                int32(a, at + 3),
                flag(a, at + 6));
    }

    private static Object step(RecurrentCell cell, Object[] a, Tensor hidden, Tensor cells) {
        RecurrentLayer layer =
                new RecurrentLayer(cell, tensor(a, 2), tensor(a, 3), tensorOrNull(a, 4), tensorOrNull(a, 5), null);
        Tensor input = tensor(a, 0);
        requireTypes(input, hidden, layer);
        int batch = input.rank() == 1 ? 1 : input.size(0);
        require(
                input.size(-1) == layer.inputSize() && hidden.numel() == (long) batch * layer.outputSize(),
                input,
                layer);
        if (FloatRecurrence.covers(input, hidden, cells, List.of(layer))) {
            PackedSequences once = PackedSequences.ofEqual(1, batch, layer.inputSize());
            Object[] out = FloatRecurrence.run(input, once, hidden, cells, List.of(layer), 1);
            return cells == null ? out[1] : new Object[] {out[1], out[2]};
        }
        double[] output = Elements.doubles(hidden).clone();
        double[] state = cells == null ? null : Elements.doubles(cells).clone();
        int[] once = new int[batch];
        Arrays.fill(once, 1);
        layer.run(
                Elements.doubles(input),
                batch,
                once,
                false,
                output,
                state,
                new double[output.length],
                0,
                layer.outputSize());
        DType type = stepType(cell, input, hidden, cells);
        Tensor result = Elements.ofDoubles(type, output, hidden.sizes());
        return cells == null ? result : new Object[] {result, Elements.ofDoubles(type, state, cells.sizes())};
    }

    /**
     * The input's gates are added into the state's, whose type they take; a GRU and an LSTM join the sums with others.
     */
    private static DType stepType(RecurrentCell cell, Tensor input, Tensor hidden, Tensor cells) {
        Tensor joined = cell == RecurrentCell.GRU ? input : cells;
        return joined == null ? hidden.dtype() : Promotion.merge(hidden.dtype(), joined.dtype());
    }

    private static void requireTypes(Tensor input, Tensor hidden, RecurrentLayer layer) {
        requireType("input", input, layer.inputWeight());
        requireType("state", hidden, layer.outputWeight());
        requireType("bias", layer.inputBias(), layer.inputWeight());
        requireType("bias", layer.outputBias(), layer.outputWeight());
    }

    private static void requireType(String what, Tensor t, Tensor weight) {
        if (t != null && t.dtype() != weight.dtype()) {
            throw new IllegalArgumentException("mat1 and mat2 must have the same dtype: " + what + " " + t + ", weight "
                    + weight + " (expected: one type)");
        }
    }

    private static void require(boolean fits, Tensor input, RecurrentLayer layer) {
        if (!fits) {
            throw new IllegalArgumentException("input: " + input + " (expected: last dimension " + layer.inputSize()
                    + ", and a hidden state of " + layer.outputSize() + " for each sequence)");
        }
    }

    /** Behind the first step the state has the type of the cells, and behind the first layer the input. */
    private static void requireTypes(Tensor input, Network network, List<RecurrentLayer> layers) {
        for (RecurrentLayer layer : layers) {
            requireTypes(input, network.hidden(), layer);
            requireType("cells", network.cells(), layer.outputWeight());
            requireType("projection", layer.projection(), layer.outputWeight());
        }
    }

    private static Object padded(Network network, Tensor input, boolean batchFirst) {
        boolean single = input.rank() == 2;
        if (input.rank() != 3 && !single) {
            throw new IllegalArgumentException("input: " + input + " (expected: 2 or 3 dimensions)");
        }
        Tensor timeFirst = single
                ? input.asStrided(
                        new int[] {input.size(0), 1, input.size(1)},
                        new int[] {input.strides()[0], 0, input.strides()[1]},
                        input.offset())
                : batchFirst ? input.permute(1, 0, 2) : input;
        int time = timeFirst.size(0);
        int batch = timeFirst.size(1);
        PackedSequences sequences = PackedSequences.ofEqual(time, batch, timeFirst.size(2));
        List<RecurrentLayer> layers = layers(network);
        requireTypes(input, network, layers);
        Object[] out = FloatRecurrence.covers(input, network.hidden(), network.cells(), layers)
                ? FloatRecurrence.run(
                        timeFirst, sequences, network.hidden(), network.cells(), layers, network.directions())
                : run(network, Elements.doubles(timeFirst), input, time, sequences.lengths());
        int width = ((Tensor) out[0]).size(-1);
        Tensor result =
                ((Tensor) out[0]).asStrided(new int[] {time, batch, width}, new int[] {batch * width, width, 1}, 0);
        out[0] = single
                ? result.asStrided(new int[] {time, width}, new int[] {width, 1}, 0)
                : batchFirst ? result.permute(1, 0, 2) : result;
        return out;
    }

    private static Object packed(Network network, Tensor data, Tensor batchSizes) {
        PackedSequences sequences = PackedSequences.of(data, batchSizes);
        List<RecurrentLayer> layers = layers(network);
        requireTypes(data, network, layers);
        if (FloatRecurrence.covers(data, network.hidden(), network.cells(), layers)) {
            return FloatRecurrence.run(
                    data, sequences, network.hidden(), network.cells(), layers, network.directions());
        }
        Tensor padded = sequences.padded(data, sequences.time(), 0);
        Object[] out = run(network, Elements.doubles(padded), data, sequences.time(), sequences.lengths());
        out[0] = sequences.pack((Tensor) out[0]);
        return out;
    }

    /** Result [time, batch, directions * output], final states [layers * directions, batch, ..]. */
    private static Object[] run(Network network, double[] first, Tensor like, int time, int[] lengths) {
        int batch = lengths.length;
        double[] hidden = Elements.doubles(network.hidden()).clone();
        double[] cells = network.cells() == null
                ? null
                : Elements.doubles(network.cells()).clone();
        double[] input = first;
        int hiddenAt = 0;
        int cellAt = 0;
        int width = 0;
        List<RecurrentLayer> layers = layers(network);
        for (int l = 0; l < network.layers(); l++) {
            RecurrentLayer shape = layers.get(l * network.directions());
            width = network.directions() * shape.outputSize();
            require(
                    input.length == (long) time * batch * shape.inputSize()
                            && hiddenAt + batch * width <= hidden.length,
                    like,
                    shape);
            double[] result = new double[time * batch * width];
            for (int d = 0; d < network.directions(); d++) {
                RecurrentLayer layer = layers.get(l * network.directions() + d);
                double[] h = Arrays.copyOfRange(hidden, hiddenAt, hiddenAt + batch * layer.outputSize());
                double[] c =
                        cells == null ? null : Arrays.copyOfRange(cells, cellAt, cellAt + batch * layer.hiddenSize());
                layer.run(input, batch, lengths, d == 1, h, c, result, d * layer.outputSize(), width);
                System.arraycopy(h, 0, hidden, hiddenAt, h.length);
                hiddenAt += h.length;
                if (cells != null) {
                    require(cellAt + c.length <= cells.length, like, layer);
                    System.arraycopy(c, 0, cells, cellAt, c.length);
                    cellAt += c.length;
                }
            }
            input = result;
        }
        Tensor output = Elements.ofDoubles(like.dtype(), input, time, batch, width);
        Tensor last = Elements.ofDoubles(like.dtype(), hidden, network.hidden().sizes());
        return cells == null
                ? new Object[] {output, last}
                : new Object[] {
                    output,
                    last,
                    Elements.ofDoubles(like.dtype(), cells, network.cells().sizes())
                };
    }

    private static List<RecurrentLayer> layers(Network network) {
        int count = network.layers() * network.directions();
        List<Tensor> p = network.params();
        int plain = network.biases() ? 4 : 2;
        int each = count > 0 && p.size() == count * (plain + 1) ? plain + 1 : plain;
        if (count <= 0 || p.size() != count * each) {
            throw new IllegalArgumentException("weights: " + p.size() + " (expected: " + plain + " for each of " + count
                    + " layers and directions)");
        }
        List<RecurrentLayer> layers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Tensor> own = p.subList(i * each, (i + 1) * each);
            layers.add(new RecurrentLayer(
                    network.cell(),
                    own.get(0),
                    own.get(1),
                    network.biases() ? own.get(2) : null,
                    network.biases() ? own.get(3) : null,
                    each > plain ? own.get(plain) : null));
        }
        return layers;
    }
}
