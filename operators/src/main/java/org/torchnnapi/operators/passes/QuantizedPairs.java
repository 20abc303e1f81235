package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Makes quantized operators of what PyTorch 2 exports of quantized models: operators on real numbers with steps to
 * integers and back around them. Tensors that are quantized become quint8, whose integers are those of int8 and 128;
 * weights qint8. An operator between a step back and a step to integers becomes PyTorch's quantized one, which rounds
 * once where the steps round what float32 has rounded: results differ by at most one quantum. What has no quantized
 * form stays between steps.
 */
public final class QuantizedPairs {
    /** Quantized activations and how they are. */
    private final Map<Value, Quantization.PerTensor> known = new IdentityHashMap<>();

    private final Map<Node, Value> quantized = new IdentityHashMap<>();

    private QuantizedPairs() {}

    /** Whether there are steps to integers or back. */
    public static boolean occur(Graph graph) {
        return EachNode.any(graph, IntegerStep::isOfLibrary);
    }

    /** @param graph with constants where they are known, and without steps that constants were folded from */
    public static void run(Graph graph) {
        QuantizedPairs pairs = new QuantizedPairs();
        EachNode.over(graph, pairs::toQuantizedTensors);
        DeadCode.run(graph);
        while (EachNode.over(graph, pairs::join)) {
            DeadCode.run(graph);
        }
    }

    private boolean toQuantizedTensors(Node node) {
        IntegerStep back = IntegerStep.of(node);
        Value tensor = back == null || !back.isBack() || !back.isPlain() ? null : tensorOf(back);
        if (tensor == null) {
            return false;
        }
        Value made = NodeBuilder.before(node).dequantize(tensor);
        node.output().replaceAllUsesWith(made.name(node.output().name()));
        return true;
    }

    private Value tensorOf(IntegerStep back) {
        if (Literals.orNull(back.input()) instanceof Tensor stored) {
            Tensor made = weight(back, stored);
            return made == null ? null : NodeBuilder.before(back.node()).constant(made);
        }
        IntegerStep to = IntegerStep.of(back.input().definition());
        Quantization.PerTensor q = activation(back);
        if (q == null || to == null || to.isBack() || !to.isPlain() || !to.isSame(back)) {
            return null;
        }
        return quantized.computeIfAbsent(
                to.node(),
                first -> NodeBuilder.before(first)
                        .tensor(QuantizeOperators.QUANTIZE, to.input(), q.scale(), q.zeroPoint(), DType.QUINT8.code()));
    }

    /** How a step back is; null if not by constants, or not of the whole range of a byte. */
    private static Quantization.PerTensor activation(IntegerStep back) {
        Double scale = back.oneScale();
        Double zeroPoint = back.oneZeroPoint();
        Long shift = back.shift();
        return scale == null || zeroPoint == null || shift == null ? null : quantization(scale, zeroPoint + shift);
    }

    /** Null if no quantized tensor is so. */
    private static Quantization.PerTensor quantization(double scale, double zeroPoint) {
        return isScale(scale) && zeroPoint >= 0 && zeroPoint <= 255
                ? new Quantization.PerTensor(scale, (int) zeroPoint)
                : null;
    }

    private static boolean isScale(double scale) {
        return scale > 0 && scale <= Float.MAX_VALUE;
    }

    /** A weight of signed bytes; null if it is of others, or has other scales, and is taken for real numbers. */
    private static Tensor weight(IntegerStep back, Tensor stored) {
        if (stored.dtype() != DType.INT8 && stored.dtype() != DType.UINT8) {
            return null;
        }
        int axis = back.axis(stored.sizes());
        if (axis != IntegerStep.WHOLE) {
            return axis == IntegerStep.PARTS || stored.dtype() != DType.INT8 ? null : channelWeight(back, stored, axis);
        }
        Double scale = back.oneScale();
        Double zeroPoint = back.oneZeroPoint();
        if (scale == null || zeroPoint == null || !isScale(scale)) {
            return null;
        }
        long shift = stored.dtype() == DType.UINT8 ? 128 : 0;
        return (Tensor)
                call("aten::_make_per_tensor_quantized_tensor", signed(stored), scale, (long) (zeroPoint - shift));
    }

    private static Tensor channelWeight(IntegerStep back, Tensor stored, int axis) {
        if (!(Literals.orNull(back.scale()) instanceof Tensor scales) || scales.numel() != stored.size(axis)) {
            return null;
        }
        long[] zeros = new long[Math.toIntExact(scales.numel())];
        if (Literals.orNull(back.zeroPoint()) instanceof Tensor given && given.numel() == zeros.length) {
            for (int i = 0; i < zeros.length; i++) {
                zeros[i] = (long) given.getDouble(i);
            }
        } else if (!Literals.isNone(back.zeroPoint())) {
            return null;
        }
        double[] steps = new double[zeros.length];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = scales.getDouble(i);
            if (!isScale(steps[i])) {
                return null;
            }
        }
        return (Tensor) call(
                "aten::_make_per_channel_quantized_tensor",
                stored,
                Tensor.of(DType.FLOAT64, steps, steps.length),
                Tensor.of(zeros, zeros.length),
                (long) axis);
    }

    private static Object call(String overload, Object... arguments) {
        return OperatorRegistry.withBuiltins().find(overload).kernel().call(arguments);
    }

    private static Tensor signed(Tensor stored) {
        if (stored.dtype() == DType.INT8) {
            return stored;
        }
        byte[] bytes = new byte[Math.toIntExact(stored.numel())];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (stored.getLong(i) - 128);
        }
        return Tensor.of(DType.INT8, bytes, stored.sizes());
    }

    private boolean join(Node node) {
        if (QuantizeOperators.isQuantize(node)) {
            return requantize(node);
        }
        Value integers = node.inputs().isEmpty() ? null : activation(node.input(0));
        if (integers != null && isRelu(node, known.get(integers))) {
            // Not as hardtanh, which QNNPACK of PyTorch 1.13 computes wrongly of channels last.
            return carry(node, "aten::relu", 1);
        }
        if (OperatorTrait.KEEPS_INTEGERS.of(node) && !OperatorTrait.DIVIDES.of(node)) {
            return carry(
                    node,
                    node.is("aten::view") ? "aten::reshape" : node.schema().fullName(),
                    node.inputs().size());
        }
        if (node.is("aten::max_pool2d_with_indices") && node.output(1).uses().isEmpty()) {
            return carry(node, "aten::max_pool2d", node.inputs().size());
        }
        return dynamic(node);
    }

    /** What moves integers, or picks the greatest, takes them as they are. */
    private boolean carry(Node node, String name, int arguments) {
        Value integers = activation(node.input(0));
        if (integers == null) {
            return false;
        }
        List<Value> inputs = new ArrayList<>(node.inputs().subList(0, arguments));
        inputs.set(0, integers);
        NodeBuilder calls = NodeBuilder.before(node);
        Value made = calls.tensor(name, inputs.toArray());
        known.put(made, known.get(integers));
        node.output(0).replaceAllUsesWith(calls.dequantize(made));
        return true;
    }

    private boolean requantize(Node node) {
        Double scale = number(node, 1);
        Double zeroPoint = number(node, 2);
        if (scale == null
                || zeroPoint == null
                || !Long.valueOf(DType.QUINT8.code()).equals(Literals.orNull(node.input(3)))
                || node.output().uses().isEmpty()) {
            return false;
        }
        Quantization.PerTensor q = quantization(scale, zeroPoint);
        if (q == null) {
            return false;
        }
        boolean news = known.put(node.output(), q) == null;
        Value integers = integers(node.input(0));
        Value made = integers != null && q.equals(known.get(integers)) ? integers : fused(node, q);
        if (made != null) {
            known.put(made, q);
            node.output().replaceAllUsesWith(made);
        }
        return news || made != null;
    }

    /** The quantized operator in the place of one, of the activation behind it and of a step to integers; or null. */
    private Value fused(Node step, Quantization.PerTensor q) {
        Node end = onlyUsed(step.input(0));
        if (end == null) {
            return null;
        }
        boolean relu = isRelu(end, q);
        Node node = relu ? onlyUsed(end.input(0)) : end;
        if (node == null) {
            return null;
        }
        List<Value> reals = QuantizedForms.tensors(node);
        if (reals != null) {
            List<Value> integers = activations(reals);
            return integers == null || relu && !QuantizedForms.hasRelu(node)
                    ? null
                    : QuantizedForms.insert(step, node, integers, q, relu);
        }
        if (OperatorTrait.ROUNDS_INTEGERS.of(node)) {
            return relu ? null : alike(step, node, q);
        }
        PairedProduct product = PairedProduct.of(node);
        Value input = product == null ? null : activation(product.input());
        return input == null
                ? null
                : NodeBuilder.before(step)
                        .tensor(
                                product.operator() + (relu ? "_relu" : "") + product.overload(),
                                input,
                                product.packed(),
                                q.scale(),
                                q.zeroPoint());
    }

    /** The quantized activations that values are of; null if one is none. */
    private List<Value> activations(List<Value> reals) {
        List<Value> integers = new ArrayList<>();
        for (Value real : reals) {
            Value made = activation(real);
            if (made == null) {
                return null;
            }
            integers.add(made);
        }
        return integers;
    }

    private Value alike(Node step, Node node, Quantization.PerTensor q) {
        Value integers = activation(node.input(0));
        if (integers == null || !q.equals(known.get(integers))) {
            return null;
        }
        List<Value> inputs = new ArrayList<>(node.inputs());
        inputs.set(0, integers);
        Value made = NodeBuilder.before(step).again(node, inputs);
        made.definition().range(node.range());
        return made;
    }

    /** A layer of known weights whose input is quantized by its own range. */
    private boolean dynamic(Node node) {
        PairedProduct product = PairedProduct.of(node);
        if (product == null || !product.operator().equals("quantized::linear")) {
            return false;
        }
        IntegerStep back = IntegerStep.of(product.input().definition());
        IntegerStep to = back == null || !back.isBack() || !back.isPlain() || back.shift() == null
                ? null
                : IntegerStep.of(back.input().definition());
        if (to == null || to.isBack() || !to.isSame(back)) {
            return false;
        }
        Node chosen = back.chosenBy();
        if (chosen == null || chosen.input(0) != to.input()) {
            return false;
        }
        node.output()
                .replaceAllUsesWith(NodeBuilder.before(node)
                        .tensor("quantized::linear_dynamic", to.input(), product.packed(), false));
        return true;
    }

    /** Whether a node cuts off what is negative, and nothing that a quantized result can be. */
    private static boolean isRelu(Node node, Quantization.PerTensor q) {
        double most = (255 - q.zeroPoint()) * q.scale();
        return switch (node.kind()) {
            case "aten::relu" -> true;
            case "aten::relu6" -> most <= 6 + q.scale() / 2;
            case "aten::hardtanh", "aten::clamp" -> {
                Double low = node.inputs().size() < 3 ? null : number(node, 1);
                Double high = node.inputs().size() < 3 ? null : number(node, 2);
                yield low != null && low == 0 && high != null && most <= high + q.scale() / 2;
            }
            default -> false;
        };
    }

    /** The quantized activation that a value is of; null if it is none. */
    private Value activation(Value real) {
        Value integers = integers(real);
        return integers != null && known.containsKey(integers) ? integers : null;
    }

    /** What a step back was made of; null if it is none. */
    static Value integers(Value real) {
        Node node = real.definition();
        return node != null && QuantizeOperators.isDequantize(node) && !Literals.isMutated(real) ? node.input(0) : null;
    }

    private static Node onlyUsed(Value value) {
        return value.uses().size() == 1 ? value.definition() : null;
    }

    private static Double number(Node node, int input) {
        return IntegerStep.number(Literals.orNull(node.input(input)));
    }
}
