package org.torchnnapi.converter.lower;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.packed.CellParams;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * How many products of a node's result are added up: convolutions and products of matrices take nearly all of a model's
 * time.
 */
public final class MultiplyAdds {
    private static final Map<String, Counter> KINDS = new HashMap<>();

    static {
        note(
                (node, out, facts) -> convolution(out, weight(node, facts)),
                "aten::conv1d",
                "aten::conv2d",
                "aten::conv3d");
        note(
                (node, out, facts) -> Boolean.TRUE.equals(Literals.orNull(node.input(6)))
                        ? transposed(node, facts)
                        : convolution(out, weight(node, facts)),
                "aten::_convolution",
                "aten::convolution");
        note(
                (node, out, facts) -> transposed(node, facts),
                "aten::conv_transpose1d",
                "aten::conv_transpose2d",
                "aten::conv_transpose3d");
        note(
                (node, out, facts) -> product(out, facts.of(node.input(0)), node.input(0)),
                "aten::linear",
                "aten::matmul",
                "aten::mm",
                "aten::bmm");
        note(
                (node, out, facts) -> product(out, facts.of(node.input(1)), node.input(1)),
                "aten::addmm",
                "aten::baddbmm");
        note((node, out, facts) -> einsum(node, out, facts), "aten::einsum");
        note(
                (node, out, facts) -> packed(node, out, facts.of(node.input(0))),
                "quantized::conv2d",
                "quantized::conv2d_relu",
                "quantized::conv_transpose2d",
                "quantized::linear",
                "quantized::linear_relu",
                "quantized::linear_dynamic",
                "quantized::linear_relu_dynamic",
                "quantized::linear_dynamic_fp16",
                "quantized::linear_relu_dynamic_fp16");
        note(
                (node, out, facts) -> recurrent(out, node.input(2)),
                "aten::lstm",
                "aten::gru",
                "aten::rnn_tanh",
                "aten::rnn_relu",
                "aten::quantized_lstm",
                "aten::quantized_gru");
        note(
                (node, out, facts) -> cell(out, Literals.orNull(node.input(2)), Literals.orNull(node.input(3))),
                "aten::lstm_cell",
                "aten::gru_cell",
                "aten::rnn_tanh_cell",
                "aten::rnn_relu_cell");
    }

    /** Counts the multiply-adds of a node whose first result is known. */
    private interface Counter {
        long count(Node node, TensorFacts out, PartialEvaluation.Facts facts);
    }

    private MultiplyAdds() {}

    private static void note(Counter counter, String... kinds) {
        for (String kind : kinds) {
            KINDS.put(kind, counter);
        }
    }

    /** 0 for nodes of other kinds, and where shapes are not known. */
    public static long of(Node node, PartialEvaluation.Facts facts) {
        Counter counter = KINDS.get(node.kind());
        TensorFacts out = node.outputs().isEmpty() ? null : facts.of(node.output(0));
        return counter == null || out == null ? 0 : counter.count(node, out, facts);
    }

    /**
     * Whether a node has multiply-adds of which is not known how many, as its shapes do not follow from the inputs'.
     */
    public static boolean isOpen(Node node, PartialEvaluation.Facts facts) {
        return KINDS.containsKey(node.kind()) && !node.outputs().isEmpty() && facts.of(node.output(0)) == null;
    }

    private static int[] weight(Node node, PartialEvaluation.Facts facts) {
        if (Literals.orNull(node.input(1)) instanceof Tensor tensor) {
            return tensor.sizes();
        }
        TensorFacts known = facts.of(node.input(1));
        return known == null ? new int[0] : known.shape();
    }

    private static long convolution(TensorFacts out, int[] weight) {
        return weight.length == 0 || weight[0] == 0 ? 0 : out.count() * numel(weight) / weight[0];
    }

    private static long transposed(Node node, PartialEvaluation.Facts facts) {
        int[] weight = weight(node, facts);
        TensorFacts in = facts.of(node.input(0));
        return weight.length == 0 || weight[0] == 0 || in == null ? 0 : in.count() * numel(weight) / weight[0];
    }

    private static long product(TensorFacts out, TensorFacts left, Value value) {
        int[] shape = left != null
                ? left.shape()
                : Literals.orNull(value) instanceof Tensor tensor ? tensor.sizes() : new int[0];
        return shape.length == 0 ? 0 : out.count() * shape[shape.length - 1];
    }

    /** Letters of the first operand that the result lacks are added up. */
    private static long einsum(Node node, TensorFacts out, PartialEvaluation.Facts facts) {
        Node list = node.input(1).definition();
        if (!(Literals.orNull(node.input(0)) instanceof String text)
                || list == null
                || list.inputs().isEmpty()
                || facts.of(list.input(0)) == null
                || !text.contains("->")) {
            return 0;
        }
        String equation = text.replace(" ", "");
        String left = equation.substring(0, Math.max(0, equation.indexOf(',')));
        String result = equation.substring(equation.indexOf("->") + 2);
        TensorFacts first = facts.of(list.input(0));
        long count = out.count();
        for (int d = 0; d < left.length() && left.length() == first.rank(); d++) {
            count *= result.indexOf(left.charAt(d)) < 0 ? first.size(d) : 1;
        }
        return count;
    }

    private static long packed(Node node, TensorFacts out, TensorFacts in) {
        Object payload = Literals.orNull(node.input(1)) instanceof CustomObject object ? object.payload() : null;
        if (payload instanceof ConvolutionParams convolution) {
            TensorFacts counted = convolution.transposed() ? in : out;
            return counted == null
                    ? 0
                    : convolution(counted, convolution.weight().sizes());
        }
        return payload instanceof LinearParams linear
                ? convolution(out, linear.weight().sizes())
                : 0;
    }

    /** The matrices of all layers once for each step of each sequence. */
    private static long recurrent(TensorFacts out, Value parameters) {
        List<?> items = Literals.orNull(parameters) instanceof ScriptList list
                ? list.items()
                : parameters.definition() == null
                        ? List.of()
                        : parameters.definition().inputs().stream()
                                .map(Literals::orNull)
                                .collect(Streams.toList());
        long weights = 0;
        for (Object item : items) {
            if (item instanceof Tensor tensor && tensor.rank() == 2) {
                weights += tensor.numel();
            } else if (item instanceof CustomObject object && object.payload() instanceof CellParams cell) {
                weights +=
                        cell.input().weight().numel() + cell.hidden().weight().numel();
            }
        }
        return out.rank() == 0 ? 0 : out.count() / out.size(out.rank() - 1) * weights;
    }

    private static long cell(TensorFacts out, Object input, Object hidden) {
        return input instanceof Tensor a && hidden instanceof Tensor b && out.rank() > 0
                ? out.count() / out.size(out.rank() - 1) * (a.numel() + b.numel())
                : 0;
    }

    private static long numel(int[] shape) {
        long product = 1;
        for (int size : shape) {
            product *= size;
        }
        return product;
    }
}
