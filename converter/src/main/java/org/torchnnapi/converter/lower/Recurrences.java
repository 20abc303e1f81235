package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
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
 * Recurrent layers, step after step, and single steps of cells. What the inputs add to the gates is one product for all
 * steps; NNAPI's own recurrent operations leave arguments out, which PyTorch's loader of serialized models cannot say.
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
        GRU(3),
        TANH(1),
        RELU(1);

        private final int gates;

        Cell(int gates) {
            this.gates = gates;
        }
    }

    /** Constant weights of one direction of a layer; {@code project} makes a shorter state of an LSTM's, or is null. */
    private record Weights(Tensor input, Tensor hidden, float[] inputBias, float[] hiddenBias, Tensor project) {}

    private record State(OperandRef hidden, OperandRef cell) {}

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::lstm", (node, context) -> floats(node, context, Cell.LSTM));
        table.plan("aten::gru", (node, context) -> floats(node, context, Cell.GRU));
        table.plan("aten::rnn_tanh", (node, context) -> floats(node, context, Cell.TANH));
        table.plan("aten::rnn_relu", (node, context) -> floats(node, context, Cell.RELU));
        table.plan("aten::quantized_lstm", (node, context) -> packed(node, context, Cell.LSTM));
        table.plan("aten::quantized_gru", (node, context) -> packed(node, context, Cell.GRU));
        for (Cell cell : Cell.values()) {
            String name = cell == Cell.TANH || cell == Cell.RELU ? "rnn_" + cell : cell.toString();
            String kind = name.toLowerCase(Locale.ROOT) + "_cell";
            table.put("aten::" + kind, (node, context) -> cell(node, context, cell, floatCell(node, context)));
            table.plan("quantized::quantized_" + kind + "_dynamic", (node, context) -> packedCell(node, context, cell));
        }
    }

    // Weights.

    private static List<Object> items(LoweringContext context, Value value) {
        if (context.isConstant(value)) {
            return ((ScriptList) context.constant(value)).items();
        }
        List<Object> out = new ArrayList<>();
        for (Value item : context.items(value)) {
            out.add(context.constant(item));
        }
        return out;
    }

    /** Why a layer takes no tensor of sequences; null where it does. */
    private static Reason unfit(Node node) {
        return node.inputs().size() >= 9 && node.input(2).type().text().startsWith("List")
                ? null
                : new Reason("sequences have one length", "a packed sequence", "a tensor of (time, batch, features)");
    }

    /** Of all layers, both directions of each after one another. */
    private static LoweringPlan floats(Node node, LoweringContext context, Cell cell) {
        Reason unfit = unfit(node);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        List<Object> tensors = items(context, node.input(2));
        boolean biases = context.flag(node.input(3));
        int count = context.int32(node.input(4)) * (context.flag(node.input(7)) ? 2 : 1);
        int each = tensors.size() / Math.max(1, count);
        boolean projects = each == (biases ? 5 : 3);
        if (tensors.size() != count * each || !projects && each != (biases ? 4 : 2)) {
            return LoweringPlan.refused(
                    "recurrent layers have two weights, and two biases or none",
                    tensors.size() + " tensors for " + count,
                    "4 or 2 for each");
        }
        List<Weights> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Object> own = tensors.subList(i * each, (i + 1) * each);
            out.add(new Weights(
                    (Tensor) own.get(0),
                    (Tensor) own.get(1),
                    biases ? elements(own.get(2)) : null,
                    biases ? elements(own.get(3)) : null,
                    projects ? (Tensor) own.get(each - 1) : null));
        }
        return network(node, context, cell, out);
    }

    private static float[] elements(Object tensor) {
        return ((Tensor) tensor).contiguous().toFloatArray().clone();
    }

    /** Dynamically quantized layers: the real numbers that their weights stand for. */
    private static LoweringPlan packed(Node node, LoweringContext context, Cell cell) {
        Reason unfit = unfit(node);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        List<Weights> out = new ArrayList<>();
        for (Object item : items(context, node.input(2))) {
            if (!(item instanceof CustomObject object)) {
                return LoweringPlan.refused(
                        "dynamically quantized layers have packed weights", String.valueOf(item), "packed parameters");
            }
            CellParams params = CellParams.CLASS.unwrap(new Object[] {object}, 0);
            out.add(new Weights(
                    real(params.input().weight()),
                    real(params.hidden().weight()),
                    elements(params.inputBias()),
                    elements(params.hiddenBias()),
                    null));
        }
        return network(node, context, cell, out);
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

    private static LoweringPlan network(Node node, LoweringContext context, Cell cell, List<Weights> weights) {
        TensorFacts known = context.facts(node.input(0));
        context.requireFloat(node.input(0));
        boolean both = context.flag(node.input(7));
        // The quantized forms and the others have the same arguments up to here.
        boolean batchFirst = context.flag(node.input(8));
        boolean single = known.rank() == 2;
        int time = known.size(single || !batchFirst ? 0 : 1);
        int batch = single ? 1 : known.size(batchFirst ? 0 : 1);
        if ((long) time * weights.size() > MAX_STEPS) {
            return LoweringPlan.refused(
                    "recurrent layers become one step after the other",
                    time + " steps in " + weights.size() + " layers and directions",
                    MAX_STEPS + " steps at most",
                    "cut the sequence into shorter ones, whose states go from one to the next");
        }
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef rows = single
                    ? context.as(node.input(0), time, known.size(1))
                    : nnapi.reshape(
                            batchFirst ? context.in(node.input(0), 1, 0, 2) : context.plain(node.input(0)),
                            time * batch,
                            known.size(2));
            List<OperandRef> hidden = initial(
                    context,
                    cell == Cell.LSTM ? state(context, node.input(1), 0) : node.input(1),
                    weights.size(),
                    batch);
            List<OperandRef> cells = cell == Cell.LSTM
                    ? initial(context, state(context, node.input(1), 1), weights.size(), batch)
                    : null;
            List<State> last = new ArrayList<>();
            int directions = both ? 2 : 1;
            for (int layer = 0; layer < weights.size() / directions; layer++) {
                List<OperandRef> ways = new ArrayList<>();
                for (int way = 0; way < directions; way++) {
                    int index = layer * directions + way;
                    Layer made = new Layer(nnapi, cell, weights.get(index));
                    ways.add(made.run(
                            rows,
                            batch,
                            time,
                            new State(hidden.get(index), cells == null ? null : cells.get(index)),
                            way == 1));
                    last.add(made.state);
                }
                rows = nnapi.concatenate(ways, 1);
            }
            int width = rows.dims()[1];
            if (single) {
                context.define(node.output(0), rows);
            } else if (batchFirst) {
                context.define(node.output(0), nnapi.reshape(rows, time, batch, width), 1, 0, 2);
            } else {
                context.define(node.output(0), nnapi.reshape(rows, time, batch, width));
            }
            finish(context, node.output(1), last.stream().map(State::hidden).collect(Streams.toList()));
            if (cell == Cell.LSTM) {
                finish(context, node.output(2), last.stream().map(State::cell).collect(Streams.toList()));
            }
        };
    }

    private static void finish(LoweringContext context, Value out, List<OperandRef> states) {
        if (out.isUsed()) {
            context.shaped(out, context.nnapi().concatenate(states, 0));
        }
    }

    /** One of the states of a list, a value or a tensor. */
    private static Object state(LoweringContext context, Value list, int index) {
        return context.isConstant(list)
                ? ((ScriptList) context.constant(list)).get(index)
                : context.items(list).get(index);
    }

    /** The first states of (layers, batch, size), each by itself. */
    private static List<OperandRef> initial(LoweringContext context, Object given, int count, int batch) {
        NnapiBuilder nnapi = context.nnapi();
        if (given instanceof Tensor || context.isConstant((Value) given)) {
            Tensor constant = given instanceof Tensor tensor ? tensor : context.tensor((Value) given);
            float[] all = constant.contiguous().toFloatArray();
            int size = all.length / count / batch;
            List<OperandRef> out = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                out.add(nnapi.floats(Arrays.copyOfRange(all, i * batch * size, (i + 1) * batch * size), batch, size));
            }
            return out;
        }
        int size = Math.toIntExact(context.facts((Value) given).count() / count / batch);
        OperandRef rows = context.as((Value) given, count * batch, size);
        List<OperandRef> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            out.add(nnapi.slice(rows, 0, i * batch, (i + 1) * batch, 1));
        }
        return out;
    }

    // Cells.

    private static Weights floatCell(Node node, LoweringContext context) {
        Value bias = context.optional(node, 4);
        return new Weights(
                context.tensor(node.input(2)),
                context.tensor(node.input(3)),
                bias == null ? null : elements(context.tensor(bias)),
                bias == null ? null : elements(context.tensor(node.input(5))),
                null);
    }

    /**
     * The real numbers that dynamically quantized weights stand for, and the biases that are packed with them: those
     * that are arguments are not used.
     */
    private static LoweringPlan packedCell(Node node, LoweringContext context, Cell cell) {
        Tensor[] weights = new Tensor[2];
        float[][] biases = new float[2][];
        for (int i = 0; i < 2; i++) {
            Object packed = context.constant(node.input(2 + i));
            if (!(packed instanceof CustomObject object) || !(object.payload() instanceof LinearParams params)) {
                return LoweringPlan.refused(
                        "dynamically quantized cells have packed weights", String.valueOf(packed), "packed parameters");
            }
            weights[i] = real(params.weight());
            biases[i] = params.bias() == null ? null : elements(params.bias());
        }
        return () -> cell(node, context, cell, new Weights(weights[0], weights[1], biases[0], biases[1], null));
    }

    private static void cell(Node node, LoweringContext context, Cell cell, Weights weights) {
        context.requireFloat(node.input(0));
        TensorFacts known = context.facts(node.input(0));
        int batch = known.rank() == 1 ? 1 : known.size(0);
        Layer layer = new Layer(context.nnapi(), cell, weights);
        OperandRef rows = context.as(node.input(0), batch, known.size(known.rank() - 1));
        State before = new State(
                initial(context, cell == Cell.LSTM ? state(context, node.input(1), 0) : node.input(1), 1, batch)
                        .get(0),
                cell == Cell.LSTM
                        ? initial(context, state(context, node.input(1), 1), 1, batch)
                                .get(0)
                        : null);
        State after = layer.step(layer.inputs(rows), before);
        context.shaped(node.output(0), after.hidden());
        if (cell == Cell.LSTM && node.output(1).isUsed()) {
            context.shaped(node.output(1), after.cell());
        }
    }

    /** One direction of a layer. */
    private static final class Layer {
        private final NnapiBuilder nnapi;
        private final Cell cell;
        private final OperandRef input;
        private final OperandRef inputBias;
        private final OperandRef hidden;
        private final OperandRef hiddenBias;
        private final OperandRef project;
        private final int size;
        private State state;

        Layer(NnapiBuilder nnapi, Cell cell, Weights weights) {
            this.nnapi = nnapi;
            this.cell = cell;
            size = weights.hidden().size(0) / cell.gates;
            // An LSTM's new gate comes last, so that the three others are one sigmoid.
            int[] order = cell == Cell.LSTM
                    ? new int[] {0, 1, 3, 2}
                    : IntStream.range(0, cell.gates).toArray();
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
            inputBias = nnapi.floats(a, a.length);
            hiddenBias = cell == Cell.GRU ? nnapi.floats(b, b.length) : nnapi.zeros(b.length);
            project = weights.project() == null ? null : nnapi.constant(weights.project());
        }

        private OperandRef matrix(Tensor weight, int... order) {
            int columns = weight.size(1);
            return nnapi.floats(
                    permuted(weight.contiguous().toFloatArray(), size * columns, order), weight.size(0), columns);
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
        OperandRef inputs(OperandRef rows) {
            return nnapi.fullyConnected(rows, input, inputBias);
        }

        OperandRef run(OperandRef rows, int batch, int time, State first, boolean backward) {
            OperandRef all = inputs(rows);
            List<OperandRef> out = new ArrayList<>();
            state = first;
            for (int t = 0; t < time; t++) {
                int at = (backward ? time - 1 - t : t) * batch;
                state = step(nnapi.slice(all, 0, at, at + batch, 1), state);
                out.add(state.hidden());
            }
            if (backward) {
                Collections.reverse(out);
            }
            return nnapi.concatenate(out, 0);
        }

        private OperandRef gate(OperandRef all, int index, int count) {
            return nnapi.slice(all, 1, index * size, (index + count) * size, 1);
        }

        State step(OperandRef x, State before) {
            OperandRef h = nnapi.fullyConnected(before.hidden(), hidden, hiddenBias);
            switch (cell) {
                case LSTM -> {
                    OperandRef sum = nnapi.add(x, h);
                    OperandRef gates = nnapi.unary(OperationType.LOGISTIC, gate(sum, 0, 3));
                    OperandRef fresh = nnapi.unary(OperationType.TANH, gate(sum, 3, 1));
                    OperandRef c =
                            nnapi.add(nnapi.mul(gate(gates, 1, 1), before.cell()), nnapi.mul(gate(gates, 0, 1), fresh));
                    OperandRef out = nnapi.mul(gate(gates, 2, 1), nnapi.unary(OperationType.TANH, c));
                    return new State(
                            project == null ? out : nnapi.fullyConnected(out, project, nnapi.zeros(project.dims()[0])),
                            c);
                }
                case GRU -> {
                    OperandRef gates = nnapi.unary(OperationType.LOGISTIC, nnapi.add(gate(x, 0, 2), gate(h, 0, 2)));
                    OperandRef fresh = nnapi.unary(
                            OperationType.TANH, nnapi.add(gate(x, 2, 1), nnapi.mul(gate(gates, 0, 1), gate(h, 2, 1))));
                    return new State(
                            nnapi.add(fresh, nnapi.mul(gate(gates, 1, 1), nnapi.sub(before.hidden(), fresh))), null);
                }
                default -> {
                    return new State(
                            nnapi.unary(cell == Cell.TANH ? OperationType.TANH : OperationType.RELU, nnapi.add(x, h)),
                            null);
                }
            }
        }
    }
}
