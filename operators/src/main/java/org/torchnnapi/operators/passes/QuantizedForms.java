package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * PyTorch's operators on quantized tensors that compute what one on real numbers does, and are told the quantization of
 * their result. Layers with packed weights, and operators whose result has a quantization of its own, are not among
 * them.
 */
public final class QuantizedForms {
    /** Scales of terms of a sum, by that of the sum, as qnnpack takes them. */
    private static final float LEAST_TERM = Math.scalb(1f, -14);

    private static final float MOST_TERM = 256;

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
     * The same of operators whose results PyTorch's own quantizing observes, of tensors of some ranks too; null for
     * others, and where it leaves them as they are.
     */
    public static List<Value> observed(Node node) {
        return switch (node.kind()) {
            case "aten::matmul" -> node.inputs();
            case "aten::prelu" -> node.inputs().subList(0, 1);
            case "aten::instance_norm" -> ofFirst(node, Boolean.TRUE);
            case "aten::batch_norm" -> ofFirst(node, Boolean.FALSE);
            case "aten::softmax", "aten::sigmoid" -> null;
            default -> tensors(node);
        };
    }

    /** The input of a normalization, if it normalizes by its own statistics, or if it does not; else null. */
    private static List<Value> ofFirst(Node node, Boolean own) {
        return own.equals(Literals.orNull(node.input(5))) ? node.inputs().subList(0, 1) : null;
    }

    /**
     * Weight and bias as a quantized layer takes them.
     *
     * @param layer such as {@code quantized::conv2d}
     * @param geometry stride, padding, and so on in its order; empty for a linear layer
     */
    public static CustomObject packed(
            String layer, Tensor weight, Tensor bias, List<ScriptList> geometry, long groups) {
        List<Object> arguments = new ArrayList<>(Arrays.asList(weight, bias));
        arguments.addAll(geometry);
        if (!geometry.isEmpty()) {
            arguments.add(groups);
        }
        return (CustomObject) OperatorRegistry.withBuiltins()
                .find(layer + "_prepack")
                .kernel()
                .call(arguments.toArray());
    }

    /**
     * Whether PyTorch's engine for phones computes the quantized form of an operator: sums by 14 binary places less
     * than a term has, and 8 more, at most.
     *
     * @param scales of what it computes with
     * @param result scale of what comes of it
     */
    public static boolean isRun(Node node, List<Double> scales, double result) {
        return !node.is("aten::add")
                || scales.stream()
                        .map(scale -> (float) (double) scale / (float) result)
                        .allMatch(ratio -> LEAST_TERM <= ratio && ratio < MOST_TERM);
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
    public static Value insert(Node before, Node node, List<Value> tensors, Quantization.PerTensor q, boolean relu) {
        NodeBuilder calls = NodeBuilder.before(before);
        Value scale = calls.constant(q.scale());
        Value zeroPoint = calls.value(q.zeroPoint());
        String name = "quantized::" + node.kind().substring("aten::".length());
        List<Value> inputs = new ArrayList<>(tensors);
        List<Value> behind = List.of();
        switch (node.kind()) {
            case "aten::cat" -> {
                inputs = List.of(calls.list(Type.Basic.TENSOR, tensors.toArray(new Value[0])), node.input(1));
            }
            case "aten::leaky_relu" -> {
                inputs.add(node.input(1));
                inputs.add(calls.constant(false));
            }
            case "aten::softmax" -> inputs.add(node.input(1));
            case "aten::layer_norm" -> inputs.addAll(node.inputs().subList(1, 5));
            case "aten::instance_norm" -> inputs.addAll(List.of(node.input(1), node.input(2), node.input(7)));
            case "aten::batch_norm" -> {
                name += "2d";
                inputs.add(factors(calls, node, 1, 1));
                inputs.add(factors(calls, node, 2, 0));
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
        return calls.tensor(name + (relu ? "_relu" : ""), all.toArray());
    }

    /** Whether there is a form of an operator that makes zero of what is negative. */
    public static boolean hasRelu(Node node) {
        return switch (node.kind()) {
            case "aten::add", "aten::mul", "aten::cat", "aten::batch_norm" -> true;
            default -> false;
        };
    }

    /** Weights or biases of a normalization, which its quantized form asks for: where there are none, such a number. */
    private static Value factors(NodeBuilder calls, Node node, int index, float otherwise) {
        if (!Literals.isNone(node.input(index))) {
            return node.input(index);
        }
        Tensor means = (Tensor) Literals.of(node.input(3))
                .orElseThrow(IllegalStateException::new)
                .value();
        float[] all = new float[Math.toIntExact(means.numel())];
        Arrays.fill(all, otherwise);
        return calls.constant(Tensor.of(all, all.length));
    }

    /** Whether a factor is left out or 1. */
    static boolean isOne(Node node, int input) {
        Double number =
                node.inputs().size() <= input ? (Double) 1.0 : IntegerStep.number(Literals.orNull(node.input(input)));
        return number != null && number == 1;
    }
}
