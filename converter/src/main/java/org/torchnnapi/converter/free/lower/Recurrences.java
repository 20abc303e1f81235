package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.packed.CellParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Recurrent layers, step after step, and single steps of cells. What the inputs add to the gates is one product for all steps;
 * NNAPI's own recurrent operations leave arguments out, which PyTorch's loader of serialized models cannot say.
 */
public final class Recurrences implements NodeFamily {
    /** A layer of more steps is a model that no driver takes in reasonable time. */
    static final int MAX_STEPS = 2048;
    private static final String TANH = "tanh";

    /** Kinds of cells; gates are blocks of rows of the weights. */
    enum Cell {
        /** Input, forget, new and output gates. */
        LSTM(4),
        /** Reset, update and new gates. */
        GRU(3), TANH(1), RELU(1);

        private final int gates;

        Cell(int gates) {
            this.gates = gates;
        }
    }

    /** Constant weights of one direction of a layer; {@code project} makes a shorter state of an LSTM's, or is null. */
    private record Weights(Tensor input, Tensor hidden, float[] inputBias, float[] hiddenBias, Tensor project) {
    }

    private record State(Term hidden, Term cell) {
    }

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::lstm", (node, scope) -> network(node, scope, Cell.LSTM, floats(node, scope)));
        table.put("aten::gru", (node, scope) -> network(node, scope, Cell.GRU, floats(node, scope)));
        table.put("aten::rnn_tanh", (node, scope) -> network(node, scope, Cell.TANH, floats(node, scope)));
        table.put("aten::rnn_relu", (node, scope) -> network(node, scope, Cell.RELU, floats(node, scope)));
        table.put("aten::quantized_lstm", (node, scope) -> network(node, scope, Cell.LSTM, packed(node, scope)));
        table.put("aten::quantized_gru", (node, scope) -> network(node, scope, Cell.GRU, packed(node, scope)));
        for (Cell cell : Cell.values()) {
            String name = cell == Cell.TANH || cell == Cell.RELU ? "rnn_" + cell : cell.toString();
            String kind = name.toLowerCase(Locale.ROOT) + "_cell";
            table.put("aten::" + kind, (node, scope) -> cell(node, scope, cell, floatCell(node, scope)));
            table.put("quantized::quantized_" + kind + "_dynamic", (node, scope) -> cell(node, scope, cell, packedCell(node, scope)));
        }
    }

    // Weights.

    private static List<Object> items(Scope scope, Value value) {
        if (scope.isConstant(value)) {
            return ((ScriptList) scope.constant(value)).items();
        }
        List<Object> out = new ArrayList<>();
        for (Value item : scope.items(value)) {
            out.add(scope.constant(item));
        }
        return out;
    }

    private static void requireSequence(Node node) {
        if (node.inputs().size() < 9 || !node.input(2).type().text().startsWith("List")) {
            throw new Refused("sequences have one length", "a packed sequence", "a tensor of (time, batch, features)", "");
        }
    }

    /** Of all layers, both directions of each after one another. */
    private static List<Weights> floats(Node node, Scope scope) {
        requireSequence(node);
        List<Object> tensors = items(scope, node.input(2));
        boolean biases = scope.flag(node.input(3));
        int count = Math.toIntExact(scope.integer(node.input(4))) * (scope.flag(node.input(7)) ? 2 : 1);
        int each = tensors.size() / Math.max(1, count);
        boolean projects = each == (biases ? 5 : 3);
        if (tensors.size() != count * each || !projects && each != (biases ? 4 : 2)) {
            throw new Refused("recurrent layers have two weights, and two biases or none", tensors.size() + " tensors for " + count, "4 or 2 for each", "");
        }
        List<Weights> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Object> own = tensors.subList(i * each, (i + 1) * each);
            out.add(new Weights((Tensor) own.get(0), (Tensor) own.get(1), biases ? elements(own.get(2)) : null, biases ? elements(own.get(3)) : null,
                projects ? (Tensor) own.get(each - 1) : null));
        }
        return out;
    }

    private static float[] elements(Object tensor) {
        return ((Tensor) tensor).contiguous().toFloatArray().clone();
    }

    /** Dynamically quantized layers: the real numbers that their weights stand for. */
    private static List<Weights> packed(Node node, Scope scope) {
        requireSequence(node);
        List<Weights> out = new ArrayList<>();
        for (Object item : items(scope, node.input(2))) {
            if (!(item instanceof CustomObject object)) {
                throw new Refused("dynamically quantized layers have packed weights", String.valueOf(item), "packed parameters", "");
            }
            CellParams params = CellParams.CLASS.unwrap(new Object[] {object}, 0);
            out.add(new Weights(real(params.input().weight()), real(params.hidden().weight()), elements(params.inputBias()), elements(params.hiddenBias()), null));
        }
        return out;
    }

    /** The real numbers that a quantized weight stands for. */
    public static Tensor real(Tensor weight) {
        double[] values = TensorQuantizer.real(weight);
        float[] out = new float[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (float) values[i];
        }
        return Tensor.of(out, weight.sizes());
    }

    // Layers.

    private static void network(Node node, Scope scope, Cell cell, List<Weights> weights) {
        TensorFacts known = scope.facts(node.input(0));
        scope.requireFloat(node.input(0));
        boolean both = scope.flag(node.input(7));
        // The quantized forms and the others have the same arguments up to here.
        boolean batchFirst = scope.flag(node.input(8));
        boolean single = known.rank() == 2;
        int time = known.size(single || !batchFirst ? 0 : 1);
        int batch = single ? 1 : known.size(batchFirst ? 0 : 1);
        if ((long) time * weights.size() > MAX_STEPS) {
            throw new Refused("recurrent layers become one step after the other", time + " steps in " + weights.size() + " layers and directions",
                MAX_STEPS + " steps at most", "cut the sequence into shorter ones, whose states go from one to the next");
        }
        NetBuilder net = scope.net();
        Term rows = single ? scope.as(node.input(0), time, known.size(1))
            : net.reshape(batchFirst ? scope.in(node.input(0), 1, 0, 2) : scope.plain(node.input(0)), time * batch, known.size(2));
        List<Term> hidden = initial(scope, cell == Cell.LSTM ? state(scope, node.input(1), 0) : node.input(1), weights.size(), batch);
        List<Term> cells = cell == Cell.LSTM ? initial(scope, state(scope, node.input(1), 1), weights.size(), batch) : null;
        List<State> last = new ArrayList<>();
        int directions = both ? 2 : 1;
        for (int layer = 0; layer < weights.size() / directions; layer++) {
            List<Term> ways = new ArrayList<>();
            for (int way = 0; way < directions; way++) {
                int index = layer * directions + way;
                Layer made = new Layer(net, cell, weights.get(index));
                ways.add(made.run(rows, batch, time, new State(hidden.get(index), cells == null ? null : cells.get(index)), way == 1));
                last.add(made.state);
            }
            rows = net.concatenate(ways, 1);
        }
        int width = rows.dims()[1];
        if (single) {
            scope.define(node.output(0), rows);
        } else if (batchFirst) {
            scope.define(node.output(0), net.reshape(rows, time, batch, width), 1, 0, 2);
        } else {
            scope.define(node.output(0), net.reshape(rows, time, batch, width));
        }
        finish(scope, node.output(1), last.stream().map(State::hidden).collect(Streams.toList()));
        if (cell == Cell.LSTM) {
            finish(scope, node.output(2), last.stream().map(State::cell).collect(Streams.toList()));
        }
    }

    private static void finish(Scope scope, Value out, List<Term> states) {
        if (out.isUsed()) {
            scope.define(out, scope.net().reshape(scope.net().concatenate(states, 0), scope.facts(out).shape()));
        }
    }

    /** One of the states of a list, a value or a tensor. */
    private static Object state(Scope scope, Value list, int index) {
        return scope.isConstant(list) ? ((ScriptList) scope.constant(list)).get(index) : scope.items(list).get(index);
    }

    /** The first states of (layers, batch, size), each by itself. */
    private static List<Term> initial(Scope scope, Object given, int count, int batch) {
        NetBuilder net = scope.net();
        if (given instanceof Tensor || scope.isConstant((Value) given)) {
            Tensor constant = given instanceof Tensor tensor ? tensor : scope.tensor((Value) given);
            float[] all = constant.contiguous().toFloatArray();
            int size = all.length / count / batch;
            List<Term> out = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                out.add(net.floats(Arrays.copyOfRange(all, i * batch * size, (i + 1) * batch * size), batch, size));
            }
            return out;
        }
        int size = Math.toIntExact(scope.facts((Value) given).count() / count / batch);
        Term rows = scope.as((Value) given, count * batch, size);
        List<Term> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            out.add(net.slice(rows, 0, i * batch, (i + 1) * batch, 1));
        }
        return out;
    }

    // Cells.

    private static Weights floatCell(Node node, Scope scope) {
        Value bias = scope.optional(node, 4);
        return new Weights(scope.tensor(node.input(2)), scope.tensor(node.input(3)), bias == null ? null : elements(scope.tensor(bias)),
            bias == null ? null : elements(scope.tensor(node.input(5))), null);
    }

    /** The real numbers that dynamically quantized weights stand for, and the biases that are packed with them: those that are arguments are not used. */
    private static Weights packedCell(Node node, Scope scope) {
        Tensor[] weights = new Tensor[2];
        float[][] biases = new float[2][];
        for (int i = 0; i < 2; i++) {
            Object packed = scope.constant(node.input(2 + i));
            if (!(packed instanceof CustomObject object) || !(object.payload() instanceof LinearParams params)) {
                throw new Refused("dynamically quantized cells have packed weights", String.valueOf(packed), "packed parameters", "");
            }
            weights[i] = real(params.weight());
            biases[i] = params.bias() == null ? null : elements(params.bias());
        }
        return new Weights(weights[0], weights[1], biases[0], biases[1], null);
    }

    private static void cell(Node node, Scope scope, Cell cell, Weights weights) {
        scope.requireFloat(node.input(0));
        TensorFacts known = scope.facts(node.input(0));
        int batch = known.rank() == 1 ? 1 : known.size(0);
        Layer layer = new Layer(scope.net(), cell, weights);
        Term rows = scope.as(node.input(0), batch, known.size(known.rank() - 1));
        State before = new State(initial(scope, cell == Cell.LSTM ? state(scope, node.input(1), 0) : node.input(1), 1, batch).get(0),
            cell == Cell.LSTM ? initial(scope, state(scope, node.input(1), 1), 1, batch).get(0) : null);
        State after = layer.step(layer.inputs(rows), before);
        scope.define(node.output(0), scope.net().reshape(after.hidden(), scope.facts(node.output(0)).shape()));
        if (cell == Cell.LSTM && node.output(1).isUsed()) {
            scope.define(node.output(1), scope.net().reshape(after.cell(), scope.facts(node.output(1)).shape()));
        }
    }

    /** One direction of a layer. */
    private static final class Layer {
        private final NetBuilder net;
        private final Cell cell;
        private final Term input;
        private final Term inputBias;
        private final Term hidden;
        private final Term hiddenBias;
        private final Term project;
        private final int size;
        private State state;

        Layer(NetBuilder net, Cell cell, Weights weights) {
            this.net = net;
            this.cell = cell;
            size = weights.hidden().size(0) / cell.gates;
            // An LSTM's new gate comes last, so that the three others are one sigmoid.
            int[] order = cell == Cell.LSTM ? new int[] {0, 1, 3, 2} : IntStream.range(0, cell.gates).toArray();
            input = matrix(weights.input(), order);
            hidden = matrix(weights.hidden(), order);
            float[] a = ordered(weights.inputBias(), order);
            float[] b = ordered(weights.hiddenBias(), order);
            // A GRU's reset gate works on what the state adds to the new gate, with its bias.
            int joined = cell == Cell.GRU ? 2 * size : a.length;
            for (int i = 0; i < joined; i++) {
                a[i] += b[i];
                b[i] = 0;
            }
            inputBias = net.floats(a, a.length);
            hiddenBias = cell == Cell.GRU ? net.floats(b, b.length) : net.zeros(b.length);
            project = weights.project() == null ? null : net.constant(weights.project());
        }

        private Term matrix(Tensor weight, int... order) {
            int columns = weight.size(1);
            return net.floats(permuted(weight.contiguous().toFloatArray(), size * columns, order), weight.size(0), columns);
        }

        private float[] ordered(float[] bias, int... order) {
            return bias == null ? new float[size * order.length] : permuted(bias, size, order);
        }

        private static float[] permuted(float[] values, int block, int... order) {
            float[] out = new float[values.length];
            for (int i = 0; i < order.length; i++) {
                System.arraycopy(values, order[i] * block, out, i * block, block);
            }
            return out;
        }

        /** What the inputs add to the gates. */
        Term inputs(Term rows) {
            return net.fullyConnected(rows, input, inputBias, 0, 0);
        }

        Term run(Term rows, int batch, int time, State first, boolean backward) {
            Term all = inputs(rows);
            List<Term> out = new ArrayList<>();
            state = first;
            for (int t = 0; t < time; t++) {
                int at = (backward ? time - 1 - t : t) * batch;
                state = step(net.slice(all, 0, at, at + batch, 1), state);
                out.add(state.hidden());
            }
            if (backward) {
                Collections.reverse(out);
            }
            return net.concatenate(out, 0);
        }

        private Term gate(Term all, int index, int count) {
            return net.slice(all, 1, index * size, (index + count) * size, 1);
        }

        State step(Term x, State before) {
            Term h = net.fullyConnected(before.hidden(), hidden, hiddenBias, 0, 0);
            switch (cell) {
                case LSTM -> {
                    Term sum = net.add(x, h);
                    Term gates = net.unary(OperationType.LOGISTIC, gate(sum, 0, 3));
                    Term fresh = net.unary(OperationType.TANH, gate(sum, 3, 1));
                    Term c = net.add(net.mul(gate(gates, 1, 1), before.cell()), net.mul(gate(gates, 0, 1), fresh));
                    Term out = net.mul(gate(gates, 2, 1), net.unary(OperationType.TANH, c));
                    return new State(project == null ? out : net.fullyConnected(out, project, net.zeros(project.dims()[0]), 0, 0), c);
                }
                case GRU -> {
                    Term gates = net.unary(OperationType.LOGISTIC, net.add(gate(x, 0, 2), gate(h, 0, 2)));
                    Term fresh = net.unary(OperationType.TANH, net.add(gate(x, 2, 1), net.mul(gate(gates, 0, 1), gate(h, 2, 1))));
                    return new State(net.add(fresh, net.mul(gate(gates, 1, 1), net.sub(before.hidden(), fresh))), null);
                }
                default -> {
                    return new State(net.unary(cell == Cell.TANH ? OperationType.TANH : OperationType.RELU, net.add(x, h)), null);
                }
            }
        }
    }
}
