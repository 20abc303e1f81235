package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Numbers that tensors can say. Whole numbers that are elements of tensors, as {@code int(scores.argmax())} is: where
 * they say which part of a tensor is taken, or become a tensor again, the tensor that they came of says it as well, and
 * nothing has to leave NNAPI. Counts of such numbers have as many places as are asked for where no number can be
 * larger, and others are checked to.
 */
final class ElementNumbers {
    private static final int LOOK_BACK = 16;

    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;

    ElementNumbers(AbstractInterpreter interpreter, ResidualGraph residual) {
        this.interpreter = interpreter;
        this.residual = residual;
    }

    /**
     * Walks through a node that takes such a number, or counts them.
     *
     * @return whether it was one
     */
    boolean visit(Node node, List<AbstractValue> inputs) {
        return switch (node.kind()) {
            case "aten::select" -> selected(node, inputs);
            case "aten::tensor" -> made(node, inputs);
            case "aten::full" -> filled(node, inputs);
            case "aten::bincount" -> counted(node, inputs);
            case "aten::mul", "aten::div", "aten::add", "aten::sub" -> ofEachElement(node, inputs);
            default -> false;
        };
    }

    /** {@code x * scale} of an argument, say: NNAPI takes a tensor of the number, which TorchScript makes. */
    private boolean ofEachElement(Node node, List<AbstractValue> inputs) {
        boolean plain = node.schema().overload().equals("Scalar")
                && AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor x
                && x.dtype() == DType.FLOAT32
                && x.quantization() == null
                && inputs.get(0) instanceof Open
                && inputs.get(1) instanceof Open number
                && number.value().type() == Type.Basic.FLOAT
                && (inputs.size() < 3 || inputs.get(2) instanceof Known)
                && !interpreter.isWritten(node.input(0))
                && !interpreter.isWritten(node.output());
        if (!plain || !residual.isCertain()) {
            return false;
        }
        Value one = interpreter.tensor(residual.filled(inputs.get(1), DType.FLOAT32), DType.FLOAT32);
        Value[] operands = inputs.size() < 3
                ? new Value[] {residual.value(inputs.get(0)), one}
                : new Value[] {residual.value(inputs.get(0)), one, residual.value(inputs.get(2))};
        Value made = residual.tensor(node.kind() + ".Tensor", (Object[]) operands);
        interpreter.define(
                node.output(),
                interpreter.open(
                        made, ((Tensor) AbstractInterpreter.sample(inputs.get(0))).copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    /** {@code x[int(t)]}, which is {@code x[t]}. */
    private boolean selected(Node node, List<AbstractValue> inputs) {
        if (!(AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor from)
                || from.rank() == 0
                || from.quantization() != null
                || !(inputs.get(1) instanceof Known dimension)
                || !(inputs.get(2) instanceof Open number)
                || interpreter.isWritten(node.input(0))
                || interpreter.isWritten(node.output())) {
            return false;
        }
        int at = (int) PickedRows.dimension(dimension.value(), from.rank());
        Value place = from.size(at) == 0 ? null : tensor(number, LOOK_BACK);
        if (place == null) {
            return false;
        }
        List<Object> places = new ArrayList<>(Collections.nCopies(at, new Known(null)));
        places.add(new Open(place, null));
        Value indices = residual.list(Type.optional(Type.Basic.TENSOR), places);
        Value taken = residual.tensor("aten::index.Tensor", inputs.get(0), indices);
        interpreter.define(
                node.output(),
                interpreter.open(taken, Tensor.zeros(from.dtype(), SampleEvaluator.without(from.sizes(), at))));
        return true;
    }

    /** {@code torch.tensor([[int(t)]])}, which is {@code t} in another shape. */
    private boolean made(Node node, List<AbstractValue> inputs) {
        int rank = 0;
        AbstractValue item = inputs.get(0);
        while (item instanceof Held held && held.container() instanceof ScriptList list && list.size() == 1) {
            item = (AbstractValue) list.items().get(0);
            rank++;
        }
        return filled(node, item, inputs.get(1), rank);
    }

    /** {@code torch.full([1, 1], int(t))}, which is {@code t} in another shape. */
    private boolean filled(Node node, List<AbstractValue> inputs) {
        return inputs.get(0) instanceof Held held
                && held.container() instanceof ScriptList list
                && list.items().stream()
                        .allMatch(item ->
                                item instanceof Known size && size.value().equals(1L))
                && filled(node, inputs.get(1), inputs.get(2), list.size());
    }

    private boolean filled(Node node, AbstractValue with, AbstractValue dtype, int rank) {
        boolean whole = dtype instanceof Known known
                && (known.value() == null || known.value().equals((long) DType.INT64.code()));
        Value number = whole && with instanceof Open open && !interpreter.isWritten(node.output())
                ? tensor(open, LOOK_BACK)
                : null;
        if (number == null) {
            return false;
        }
        interpreter.define(
                node.output(), new Open(reshaped(number, rank), Tensor.zeros(DType.INT64, PickedRows.ones(rank))));
        return true;
    }

    /**
     * {@code torch.bincount(t, minlength=n)} of numbers below {@code n}; where others may be among them, it stays
     * TorchScript, and the made graph checks that there were none.
     */
    private boolean counted(Node node, List<AbstractValue> inputs) {
        boolean plain = AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor numbers
                && numbers.dtype() == DType.INT64
                && inputs.get(1) instanceof Known weights
                && weights.value() == null
                && inputs.get(2) instanceof Known least
                && (Long) least.value() > 0
                && inputs.get(0) instanceof Open;
        if (!plain || interpreter.isWritten(node.output())) {
            return false;
        }
        long most = (Long) ((Known) inputs.get(2)).value();
        if (!isBelow(((Open) inputs.get(0)).value(), most, LOOK_BACK)) {
            Value counts = residual.copy(
                            node, inputs.stream().map(residual::value).collect(Streams.toList()))
                    .output();
            Value size = residual.size(counts, 0);
            residual.require(
                    residual.differ(size, most),
                    "numbers of " + most
                            + " and above are counted (expected: all below minlength, as when the model was "
                            + "converted)");
            interpreter.define(
                    node.output(), interpreter.open(counts, Tensor.zeros(DType.INT64, Math.toIntExact(most))));
            return true;
        }
        int count = ((Tensor) AbstractInterpreter.sample(inputs.get(0))).size(0);
        Value rows = interpreter.tensor(
                residual.tensor("aten::one_hot", inputs.get(0), most), DType.INT64, count, (int) most);
        Value sum = residual.tensor("aten::sum.dim_IntList", rows, new int[] {0}, false, null);
        interpreter.define(node.output(), interpreter.open(sum, Tensor.zeros(DType.INT64, (int) most)));
        return true;
    }

    /** Whether all elements are places of a dimension of that many: those of largest elements, or of sorted ones. */
    private boolean isBelow(Value value, long most, int depth) {
        Node node = value.definition();
        if (node == null || depth == 0 || node.inputs().isEmpty()) {
            return false;
        }
        boolean places = OperatorTrait.GIVES_PLACES.of(node)
                && value == node.output(node.outputs().size() - 1);
        if (!places) {
            return (node.schema() != null && node.schema().isView() || node.is("aten::clone"))
                    && isBelow(node.input(0), most, depth - 1);
        }
        List<TensorFacts> from = interpreter.facts().get(node.input(0));
        Node dimension = node.input(node.schema().indexOf("dim")).definition();
        if (from == null
                || dimension == null
                || !dimension.is(Prim.CONSTANT)
                || !(dimension.attribute("value") instanceof Long at)) {
            return false;
        }
        int rank = from.get(0).rank();
        return rank > 0 && from.get(0).size((int) PickedRows.dimension(at, rank)) <= most;
    }

    /** A tensor of no dimensions, of int64, that is a whole number in every run, or null where no tensor says it. */
    Value tensor(Open number) {
        return tensor(number, LOOK_BACK);
    }

    private Value tensor(Open number, int depth) {
        Node node = number.value().definition();
        if (node == null
                || depth == 0
                || number.value().type() != Type.Basic.INT && number.value().type() != Type.Basic.NUMBER) {
            return null;
        }
        if (node.is("aten::Int") && node.input(0).type() == Type.Basic.NUMBER) {
            return tensor(new Open(node.input(0), null), depth - 1);
        }
        if (OperatorTrait.ITEM.of(node)) {
            List<TensorFacts> known = interpreter.facts().get(node.input(0));
            boolean one =
                    known != null && known.get(0).count() == 1 && known.get(0).dtype() == DType.INT64;
            return !one ? null : known.get(0).rank() == 0 ? node.input(0) : reshaped(node.input(0), 0);
        }
        boolean sums = switch (node.kind()) {
            case "aten::add", "aten::sub", "aten::mul" -> node.inputs().size() == 2;
            default -> false;
        };
        if (!sums) {
            return null;
        }
        Value[] operands = new Value[2];
        for (int i = 0; i < 2; i++) {
            Node literal = node.input(i).definition();
            operands[i] =
                    literal != null && literal.is(Prim.CONSTANT) && literal.attribute("value") instanceof Long value
                            ? residual.constant(Tensor.of(new long[] {value}, new int[0]), null)
                            : tensor(new Open(node.input(i), null), depth - 1);
            if (operands[i] == null) {
                return null;
            }
        }
        return interpreter.tensor(
                node.is("aten::mul")
                        ? residual.tensor("aten::mul.Tensor", (Object[]) operands)
                        : residual.tensor(node.kind() + ".Tensor", operands[0], operands[1], 1L),
                DType.INT64);
    }

    private Value reshaped(Value one, int rank) {
        int[] ones = PickedRows.ones(rank);
        return interpreter.tensor(
                residual.reshape(one, ones), interpreter.facts().get(one).get(0).dtype(), ones);
    }
}
