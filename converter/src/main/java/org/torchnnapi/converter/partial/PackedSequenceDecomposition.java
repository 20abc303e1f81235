package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.operators.Composite;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Recurrent layers over packed sequences, said in operators over padded ones, whose shapes do not depend on the
 * lengths: every sequence runs to the end, backward ones are turned round within their own length, states are read
 * where each ends, and what lies behind is filled in when the sequences are unpacked. How long the unpacked ones are
 * depends on the lengths, unless those or the length are constant. The packed form is made too where something else
 * reads it.
 */
final class PackedSequenceDecomposition {
    private static final String PACK = "aten::_pack_padded_sequence";
    private static final String UNPACK = "aten::_pad_packed_sequence";

    private static final Function FIRST =
            new Composite("packed::time_first(Tensor input, bool batch_first) -> Tensor", """
        if batch_first:
          result = torch.transpose(input, 0, 1)
        else:
          result = input
        return result""", null).function();

    private static final Function PADDED = new Composite(
                    "packed::padded(Tensor input, Tensor lengths, bool batch_first, Scalar padding_value, int "
                            + "total_length) -> Tensor",
                    """
        steps = torch.size(input, 0)
        if torch.gt(total_length, steps):
          longer = torch.constant_pad_nd(input, [0, 0, 0, 0, 0, torch.sub(total_length, steps)], 0)
        else:
          longer = input
        if torch.gt(total_length, 0):
          length = total_length
        else:
          length = int(torch.max(lengths))
        times = torch.unsqueeze(torch.arange(torch.size(longer, 0)), 1)
        behind = torch.unsqueeze(torch.ge(times, torch.unsqueeze(lengths, 0)), 2)
        filled = torch.masked_fill(longer, behind, padding_value)
        if batch_first:
          turned = torch.transpose(filled, 0, 1)
          result = torch.slice(turned, 1, 0, length)
        else:
          result = torch.slice(filled, 0, 0, length)
        return result""",
                    null)
            .function();

    private static final Map<String, Function> LAYERS = Map.of(
            "aten::gru",
            single("gru"),
            "aten::rnn_tanh",
            single("rnn_tanh"),
            "aten::rnn_relu",
            single("rnn_relu"),
            "aten::lstm",
            layers("lstm", "Tensor[] hx", """
            states = [torch.slice(hx[0], 0, index, after), torch.slice(hx[1], 0, index, after)]
                y, h, c = torch.lstm(given, states, own, has_biases, 1, 0., False, False, False)"""));

    /** Step by step, as layers tell the last of a cell's states only. */
    private static final Function CELLS = layers("lstm_cells", "Tensor[] hx", """
        h = torch.select(hx[0], 0, index)
            c = torch.select(hx[1], 0, index)
            ys = annotate(List[Tensor], [])
            cs = annotate(List[Tensor], [])
            for t in range(steps):
              step = torch.select(given, 0, t)
              if has_biases:
                h1, c1 = torch.lstm_cell(step, [h, c], own[0], own[1], own[2], own[3])
              else:
                h1, c1 = torch.lstm_cell(step, [h, c], own[0], own[1])
              _0 = torch.append(ys, h1)
              _1 = torch.append(cs, c1)
              h, c = h1, c1
            y = torch.stack(ys, 0)
            _2 = torch.append(cells, torch.index(torch.stack(cs, 0), annotate(List[Optional[Tensor]], [last, \
        columns])))""");

    private final AbstractInterpreter interpreter;
    /** What was packed, by the packed form's elements. */
    private final Map<Value, Padded> packed = new IdentityHashMap<>();
    /** The same by the packed form's numbers of sequences a step. */
    private final Map<Value, Padded> sizes = new IdentityHashMap<>();
    /** Lengths of the longest sequence, which are computed, and what they are at most. */
    private final Map<Value, Long> longest = new IdentityHashMap<>();

    /**
     * @param input of (time, batch, features)
     * @param lengths in falling order
     * @param batch how many sequences there are, of which none is empty
     */
    private record Padded(AbstractValue input, AbstractValue lengths, int batch) {}

    PackedSequenceDecomposition(AbstractInterpreter interpreter) {
        this.interpreter = interpreter;
    }

    /** Layers with one state. */
    private static Function single(String name) {
        return layers(
                name,
                "Tensor hx",
                "y, h = torch." + name
                        + "(given, torch.slice(hx, 0, index, after), own, has_biases, 1, 0., False, False, False)");
    }

    /** @param run the statements that make {@code y} of {@code given}, indented by two steps */
    private static Function layers(String name, String states, String run) {
        return new Composite(
                        "packed::" + name + "(Tensor input, Tensor lengths, " + states
                                + ", Tensor[] params, bool has_biases, int num_layers, "
                                + "bool bidirectional) -> (Tensor, Tensor, Tensor)",
                        """
            steps = torch.size(input, 0)
            columns = torch.arange(torch.size(input, 1))
            times = torch.unsqueeze(torch.arange(steps), 1)
            ends = torch.unsqueeze(lengths, 0)
            last = torch.sub(lengths, 1)
            turned = torch.where(torch.lt(times, ends), torch.sub(torch.sub(ends, times), 1), times)
            if bidirectional:
              ways = 2
            else:
              ways = 1
            count = torch.floordiv(torch.len(params), torch.mul(num_layers, ways))
            hidden = annotate(List[Tensor], [])
            cells = annotate(List[Tensor], [])
            rows = input
            for layer in range(num_layers):
              outs = annotate(List[Tensor], [])
              for way in range(ways):
                index = torch.add(torch.mul(layer, ways), way)
                after = torch.add(index, 1)
                own = torch.slice(params, torch.mul(index, count), torch.mul(after, count))
                if torch.eq(way, 1):
                  given = torch.index(rows, annotate(List[Optional[Tensor]], [turned, columns]))
                else:
                  given = rows
                RUN
                _3 = torch.append(hidden, torch.index(y, annotate(List[Optional[Tensor]], [last, columns])))
                if torch.eq(way, 1):
                  out = torch.index(y, annotate(List[Optional[Tensor]], [turned, columns]))
                else:
                  out = y
                _4 = torch.append(outs, out)
              rows = torch.cat(outs, 2)
            if torch.gt(torch.len(cells), 0):
              cell = torch.stack(cells, 0)
            else:
              cell = rows
            return (rows, torch.stack(hidden, 0), cell)""".replace("RUN", run),
                        null)
                .function();
    }

    /** @return whether the node was one of packed sequences, and its results are defined */
    boolean visit(Node node, List<AbstractValue> inputs) {
        AbstractValue first = inputs.isEmpty() ? null : inputs.get(0);
        Padded of = first instanceof Open open ? packed.get(open.value()) : null;
        if (node.is(PACK)) {
            return pack(node, inputs);
        }
        if (node.is("aten::lt")
                && inputs.get(0) instanceof Known total
                && total.value() instanceof Long wanted
                && inputs.get(1) instanceof Open open
                && longest.getOrDefault(open.value(), Long.MAX_VALUE) <= wanted) {
            // Whether the length that is asked for is too small.
            interpreter.define(node.output(), new Known(false));
            return true;
        }
        Padded counted = first instanceof Open open ? sizes.get(open.value()) : null;
        if (counted != null) {
            return count(node, inputs, counted);
        }
        if (of == null) {
            return false;
        }
        if (node.is(UNPACK)) {
            return unpack(node, inputs, of);
        }
        return geometry(node, inputs, of)
                || LAYERS.containsKey(node.kind())
                        && node.schema().overload().equals("data")
                        && layers(node, inputs, of);
    }

    /** Answers for the numbers of sequences a step: how many there are, and how many have the first. */
    private boolean count(Node node, List<AbstractValue> inputs, Padded of) {
        if (OperatorTrait.READS_KIND.of(node)) {
            interpreter.define(node.output(), SampleEvaluator.kind(node, Tensor.zeros(DType.INT64, 1)));
            return true;
        }
        if (node.is("aten::select") && isZero(inputs.get(1)) && isZero(inputs.get(2))) {
            interpreter.define(node.output(), new Known(Tensor.of(new long[] {of.batch()}, new int[0])));
            return true;
        }
        if (NodeBuilder.isSize(node) && inputs.size() == 2 && isZero(inputs.get(1))) {
            if (of.lengths() instanceof Known lengths) {
                interpreter.define(
                        node.output(),
                        new Known(Arrays.stream(((Tensor) lengths.value()).toLongArray())
                                .max()
                                .orElse(0)));
            } else {
                interpreter.residualize(node);
                longest.put(
                        ((Open) interpreter.of(node.output())).value(),
                        AbstractInterpreter.sample(of.input()) instanceof Tensor steps
                                ? (long) steps.size(0)
                                : Long.MAX_VALUE);
            }
            return true;
        }
        return false;
    }

    /**
     * Answers for the elements what is asked of their type and shape: rows, as many as there are steps, of as many
     * features.
     */
    private boolean geometry(Node node, List<AbstractValue> inputs, Padded of) {
        Tensor sample = AbstractInterpreter.sample(of.input()) instanceof Tensor tensor ? tensor : null;
        if (sample == null || sample.rank() != 3) {
            return false;
        }
        if (OperatorTrait.READS_KIND.of(node)) {
            interpreter.define(node.output(), SampleEvaluator.kind(node, Tensor.zeros(sample.dtype(), 1, 1)));
            return true;
        }
        boolean last = NodeBuilder.isSize(node)
                && inputs.size() == 2
                && inputs.get(1) instanceof Known known
                && known.value() instanceof Long d
                && (d == -1 || d == 1);
        if (last) {
            interpreter.define(node.output(), new Known((long) sample.size(2)));
        }
        return last;
    }

    private boolean unpack(Node node, List<AbstractValue> inputs, Padded of) {
        AbstractValue length =
                inputs.get(4) instanceof Open open && longest.containsKey(open.value()) ? new Known(0L) : inputs.get(4);
        if (!(length instanceof Known)) {
            return false;
        }
        interpreter.define(
                node.output(0),
                run(PADDED, List.of(of.input(), of.lengths(), inputs.get(2), inputs.get(3), length))
                        .get(0));
        interpreter.define(node.output(1), of.lengths());
        return true;
    }

    private static boolean isZero(AbstractValue known) {
        return known instanceof Known constant && constant.value() instanceof Long number && number == 0;
    }

    private boolean pack(Node node, List<AbstractValue> inputs) {
        Object sample = AbstractInterpreter.sample(inputs.get(0));
        if (!(sample instanceof Tensor tensor) || tensor.rank() != 3 || !(inputs.get(2) instanceof Known batchFirst)) {
            return false;
        }
        interpreter.residualize(node);
        AbstractValue input = run(FIRST, List.of(inputs.get(0), batchFirst)).get(0);
        Padded padded = new Padded(input, inputs.get(1), tensor.size(Boolean.TRUE.equals(batchFirst.value()) ? 0 : 1));
        if (interpreter.of(node.output(0)) instanceof Open data
                && interpreter.of(node.output(1)) instanceof Open counts) {
            packed.put(data.value(), padded);
            sizes.put(counts.value(), padded);
        }
        return true;
    }

    private boolean layers(Node node, List<AbstractValue> inputs, Padded of) {
        boolean lstm = node.is("aten::lstm");
        boolean cells = lstm && node.output(2).isUsed();
        List<AbstractValue> arguments = new ArrayList<>(List.of(of.input(), of.lengths()));
        for (int argument : new int[] {2, 3, 4, 5, 8}) {
            arguments.add(inputs.get(argument));
        }
        interpreter.residualize(node);
        List<AbstractValue> results = run(cells ? CELLS : LAYERS.get(node.kind()), arguments);
        if (interpreter.of(node.output(0)) instanceof Open data) {
            packed.put(data.value(), new Padded(results.get(0), of.lengths(), of.batch()));
        }
        interpreter.define(node.output(1), results.get(1));
        if (cells) {
            interpreter.define(node.output(2), results.get(2));
        }
        return true;
    }

    /** Follows a function of what is known; its results, those of a tuple one by one. */
    private List<AbstractValue> run(Function function, List<AbstractValue> arguments) {
        return interpreter.follow(function.graph(), arguments);
    }
}
