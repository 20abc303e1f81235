package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * PyTorch's operators on quantized tensors that compute what one on real numbers does, and are told the quantization of
 * their result. Layers with packed weights, and operators whose result has a quantization of its own, are not among
 * them.
 */
public final class QuantizedForms {
    private QuantizedForms() {}

    /**
     * The tensors that an operator on real numbers computes with and its quantized form has quantized; null if it has
     * none that takes tensors of any rank.
     */
    static List<Value> tensors(Node node) {
        return switch (node.kind()) {
            case "aten::add" -> isOne(node, 2) ? node.inputs().subList(0, 2) : null;
            case "aten::mul" -> node.inputs().subList(0, 2);
            case "aten::cat" -> {
                Node list = node.input(0).definition();
                yield list != null && list.is(Prim.LIST_CONSTRUCT) ? list.inputs() : null;
            }
            case "aten::softmax" ->
                Literals.isNone(node.input(2)) ? node.inputs().subList(0, 1) : null;
            case "aten::hardswish", "aten::leaky_relu", "aten::elu", "aten::sigmoid", "aten::layer_norm" ->
                node.inputs().subList(0, 1);
            default -> null;
        };
    }

    /**
     * Adds the quantized form of an operator.
     *
     * @param before where
     * @param node the operator on real numbers, whose other arguments are taken
     * @param tensors the quantized forms of what it computes with; of a join, of its items
     * @param relu whether what is negative becomes zero; only for sums, products, joins and batch normalization
     * @throws IllegalStateException if there is no such operator
     */
    public static Node insert(
            Graph graph, Node before, Node node, List<Value> tensors, Quantization.PerTensor q, boolean relu) {
        Value scale = OperatorNodes.constant(before, q.scale());
        Value zeroPoint = OperatorNodes.constant(before, (long) q.zeroPoint());
        String name = "quantized::" + node.kind().substring("aten::".length());
        List<Value> inputs = new ArrayList<>(tensors);
        List<Value> behind = List.of();
        switch (node.kind()) {
            case "aten::cat" -> {
                Node list = graph.create(Prim.LIST_CONSTRUCT, tensors, Type.list(Type.Basic.TENSOR))
                        .range(node.range());
                before.owner().insertBefore(before, list);
                inputs = List.of(list.output(), node.input(1));
            }
            case "aten::leaky_relu" -> {
                inputs.add(node.input(1));
                inputs.add(OperatorNodes.constant(before, false));
            }
            case "aten::softmax" -> inputs.add(node.input(1));
            case "aten::layer_norm" -> inputs.addAll(node.inputs().subList(1, 5));
            case "aten::instance_norm" -> inputs.addAll(List.of(node.input(1), node.input(2), node.input(7)));
            case "aten::batch_norm" -> {
                name += "2d";
                inputs.add(factors(before, node, 1, 1));
                inputs.add(factors(before, node, 2, 0));
                inputs.addAll(List.of(node.input(3), node.input(4), node.input(7)));
            }
            case "aten::elu" -> behind = node.inputs().subList(1, node.inputs().size());
            default -> {
                // Nothing but tensors.
            }
        }
        List<Value> all = new ArrayList<>(inputs);
        all.add(scale);
        all.add(zeroPoint);
        all.addAll(behind);
        Node made = OperatorNodes.of(graph, name + (relu ? "_relu" : ""), before, all);
        before.owner().insertBefore(before, made);
        return made;
    }

    /** Whether there is a form of an operator that makes zero of what is negative. */
    static boolean hasRelu(Node node) {
        return switch (node.kind()) {
            case "aten::add", "aten::mul", "aten::cat", "aten::batch_norm" -> true;
            default -> false;
        };
    }

    /** Weights or biases of a normalization, which its quantized form asks for: where there are none, such a number. */
    private static Value factors(Node before, Node node, int index, float otherwise) {
        if (!Literals.isNone(node.input(index))) {
            return node.input(index);
        }
        Tensor means = (Tensor) Literals.of(node.input(3))
                .orElseThrow(IllegalStateException::new)
                .value();
        float[] all = new float[Math.toIntExact(means.numel())];
        Arrays.fill(all, otherwise);
        return OperatorNodes.constant(before, Tensor.of(all, all.length));
    }

    /** Whether a factor is left out or 1. */
    static boolean isOne(Node node, int input) {
        Double number =
                node.inputs().size() <= input ? (Double) 1.0 : IntegerStep.number(Literals.orNull(node.input(input)));
        return number != null && number == 1;
    }
}
