package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/**
 * Makes quantized operators of what PyTorch 2 exports of quantized models: operators on real numbers with steps to
 * integers and back around them. Tensors that are quantized become quint8, whose integers are those of int8 and 128;
 * weights qint8. An operator between a step back and a step to integers becomes PyTorch's quantized one, which rounds
 * once where the steps round what float32 has rounded: results differ by at most one quantum. What has no quantized
 * form stays between steps.
 */
public final class QuantizedPairs {
    private static final String STEPS = "quantized_decomposed::";
    /** What integers stand for is the same before them and behind them. */
    private static final Set<String> EXACT = Set.of(
            "aten::relu",
            "aten::max_pool2d",
            "aten::flatten",
            "aten::reshape",
            "aten::view",
            "aten::permute",
            "aten::transpose",
            "aten::squeeze",
            "aten::unsqueeze",
            "aten::slice",
            "aten::select",
            "aten::contiguous");
    /** They have quantized forms whose results have the quantization of what comes in. */
    private static final Set<String> ALIKE =
            Set.of("aten::avg_pool2d", "aten::adaptive_avg_pool2d", "aten::mean", "aten::upsample_bilinear2d");

    private final Graph graph;
    /** Quantized activations and how they are. */
    private final Map<Value, Quantization.PerTensor> known = new IdentityHashMap<>();

    private final Map<Node, Value> quantized = new IdentityHashMap<>();

    private QuantizedPairs(Graph graph) {
        this.graph = graph;
    }

    /** Whether there are steps to integers or back. */
    public static boolean occur(Graph graph) {
        return EachNode.any(graph, node -> node.kind().startsWith(STEPS));
    }

    /** @param graph with constants where they are known, and without steps that constants were folded from */
    public static void run(Graph graph) {
        QuantizedPairs pairs = new QuantizedPairs(graph);
        EachNode.over(graph, pairs::toQuantizedTensors);
        DeadCode.run(graph);
        while (EachNode.over(graph, pairs::join)) {
            DeadCode.run(graph);
        }
    }

    private boolean toQuantizedTensors(Node node) {
        boolean channels = node.is(STEPS + "dequantize_per_channel");
        if (!channels && !node.is(STEPS + "dequantize_per_tensor") || !isFloat(node)) {
            return false;
        }
        Value tensor = tensorOf(node, channels);
        if (tensor == null) {
            return false;
        }
        Node back = OperatorNodes.of(graph, QuantizeOperators.DEQUANTIZE + ".self", node, List.of(tensor));
        node.owner().insertBefore(node, back);
        node.output().replaceAllUsesWith(back.output().name(node.output().name()));
        return true;
    }

    private static boolean isFloat(Node node) {
        int type = node.schema().indexOf("out_dtype");
        return type < 0
                || Literals.orNull(node.input(type)) == null
                || Long.valueOf(DType.FLOAT32.code()).equals(Literals.orNull(node.input(type)));
    }

    private Value tensorOf(Node back, boolean channels) {
        Node to = back.input(0).definition();
        if (Literals.orNull(back.input(0)) instanceof Tensor stored) {
            Tensor made = channels ? channelWeight(back, stored) : weight(back, stored);
            return made == null ? null : constant(back, made);
        }
        if (channels || to == null || !to.is(STEPS + "quantize_per_tensor") || !isSameStep(to, back)) {
            return null;
        }
        Quantization.PerTensor q = activation(back);
        if (q == null) {
            return null;
        }
        return quantized.computeIfAbsent(to, first -> {
            Node made = OperatorNodes.of(
                    graph,
                    QuantizeOperators.QUANTIZE,
                    first,
                    List.of(
                            first.input(0),
                            constant(first, q.scale()),
                            constant(first, (long) q.zeroPoint()),
                            constant(first, (long) DType.QUINT8.code())));
            first.owner().insertBefore(first, made);
            return made.output();
        });
    }

    private static boolean isSameStep(Node to, Node back) {
        for (int i = 1; i < to.inputs().size(); i++) {
            Object one = Literals.orNull(to.input(i));
            if (to.input(i) != back.input(i) && (one == null || !one.equals(Literals.orNull(back.input(i))))) {
                return false;
            }
        }
        return true;
    }

    /** How a step back is; null if not by constants, or not of the whole range of a byte. */
    private static Quantization.PerTensor activation(Node back) {
        Double scale = number(back, 1);
        Double zeroPoint = number(back, 2);
        Long shift = shift(back, 3);
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

    /**
     * What is added to integers to make them unsigned bytes; null where they have another range. One without -128, as
     * ranges around zero are, clips at most a quantum earlier.
     */
    private static Long shift(Node node, int range) {
        Double least = number(node, range);
        Double most = number(node, range + 1);
        if (least == null || most == null) {
            return null;
        }
        boolean signed = (least == -128 || least == -127) && most == 127;
        return signed ? (Long) 128L : least == 0 && most == 255 ? (Long) 0L : null;
    }

    /** A weight of signed bytes; null if it is of others, which are taken for real numbers. */
    private static Tensor weight(Node back, Tensor stored) {
        Double scale = number(back, 1);
        Double zeroPoint = number(back, 2);
        boolean bytes = stored.dtype() == DType.INT8 || stored.dtype() == DType.UINT8;
        if (scale == null || zeroPoint == null || !bytes || !isScale(scale)) {
            return null;
        }
        long shift = stored.dtype() == DType.UINT8 ? 128 : 0;
        return (Tensor) OperatorNodes.call(
                "aten::_make_per_tensor_quantized_tensor", signed(stored), scale, (long) (zeroPoint - shift));
    }

    private static Tensor channelWeight(Node back, Tensor stored) {
        if (stored.dtype() != DType.INT8
                || !(Literals.orNull(back.input(1)) instanceof Tensor scales)
                || !(Literals.orNull(back.input(3)) instanceof Long axis)) {
            return null;
        }
        long[] zeros = new long[Math.toIntExact(scales.numel())];
        if (Literals.orNull(back.input(2)) instanceof Tensor given) {
            for (int i = 0; i < zeros.length; i++) {
                zeros[i] = (long) given.getDouble(i);
            }
        } else if (!Literals.isNone(back.input(2))) {
            return null;
        }
        double[] steps = new double[zeros.length];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = scales.getDouble(i);
            if (!isScale(steps[i])) {
                return null;
            }
        }
        return (Tensor) OperatorNodes.call(
                "aten::_make_per_channel_quantized_tensor",
                stored,
                Tensor.of(DType.FLOAT64, steps, steps.length),
                Tensor.of(zeros, zeros.length),
                axis);
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
        if (EXACT.contains(node.kind())) {
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
        Node made = OperatorNodes.of(graph, name, node, inputs);
        node.owner().insertBefore(node, made);
        known.put(made.output(), known.get(integers));
        Node back = OperatorNodes.of(graph, QuantizeOperators.DEQUANTIZE + ".self", node, List.of(made.output()));
        node.owner().insertBefore(node, back);
        node.output(0).replaceAllUsesWith(back.output());
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
        String suffix = relu ? "_relu" : "";
        List<Value> result = List.of(constant(step, q.scale()), constant(step, (long) q.zeroPoint()));
        switch (node.kind()) {
            case "aten::add", "aten::mul" -> {
                boolean plain = node.is("aten::mul") || node.inputs().size() < 3 || isOne(node, 2);
                Value left = activation(node.input(0));
                Value right = activation(node.input(1));
                return plain && left != null && right != null
                        ? insert(step, node.kind().replace("aten", "quantized") + suffix, List.of(left, right), result)
                        : null;
            }
            case "aten::cat" -> {
                return relu ? null : cat(step, node, result);
            }
            case "aten::hardswish" -> {
                Value input = activation(node.input(0));
                return relu || input == null ? null : insert(step, "quantized::hardswish", List.of(input), result);
            }
            case "aten::leaky_relu" -> {
                Value input = activation(node.input(0));
                return relu || input == null
                        ? null
                        : insert(
                                step,
                                "quantized::leaky_relu",
                                List.of(input, node.input(1), constant(step, false)),
                                result);
            }
            default -> {
                if (ALIKE.contains(node.kind())) {
                    return relu ? null : alike(step, node, q);
                }
                PairedProduct product = PairedProduct.of(node);
                Value input = product == null ? null : activation(product.input());
                return input == null
                        ? null
                        : insert(
                                step,
                                product.operator() + suffix + product.overload(),
                                List.of(input, constant(step, product.packed())),
                                result);
            }
        }
    }

    private Value cat(Node step, Node node, List<Value> result) {
        Node list = node.input(0).definition();
        if (list == null || !list.is("prim::ListConstruct")) {
            return null;
        }
        List<Value> items = new ArrayList<>();
        for (Value item : list.inputs()) {
            Value integers = activation(item);
            if (integers == null) {
                return null;
            }
            items.add(integers);
        }
        Node joined = graph.create("prim::ListConstruct", items, Type.list(Type.Basic.TENSOR))
                .range(node.range());
        step.owner().insertBefore(step, joined);
        return insert(step, "quantized::cat", List.of(joined.output(), node.input(1)), result);
    }

    private Value alike(Node step, Node node, Quantization.PerTensor q) {
        Value integers = activation(node.input(0));
        if (integers == null || !q.equals(known.get(integers))) {
            return null;
        }
        List<Value> inputs = new ArrayList<>(node.inputs());
        inputs.set(0, integers);
        Node made = OperatorNodes.of(graph, node.schema().fullName(), node, inputs);
        step.owner().insertBefore(step, made);
        return made.output();
    }

    /** A layer of known weights whose input is quantized by its own range. */
    private boolean dynamic(Node node) {
        PairedProduct product = PairedProduct.of(node);
        if (product == null || !product.operator().equals("quantized::linear")) {
            return false;
        }
        Node back = product.input().definition();
        Node to = back == null || !back.is(STEPS + "dequantize_per_tensor")
                ? null
                : back.input(0).definition();
        if (to == null || !to.is(STEPS + "quantize_per_tensor") || !isSameStep(to, back) || shift(back, 3) == null) {
            return false;
        }
        Node chosen = back.input(1).definition();
        if (chosen == null
                || !chosen.is(STEPS + "choose_qparams")
                || chosen.input(0) != to.input(0)
                || back.input(1) != chosen.output(0)
                || back.input(2) != chosen.output(1)
                || shift(chosen, 1) == null) {
            return false;
        }
        Value made = insert(
                node,
                "quantized::linear_dynamic",
                List.of(to.input(0), constant(node, product.packed()), constant(node, false)),
                List.of());
        node.output().replaceAllUsesWith(made);
        return true;
    }

    private Value insert(Node before, String name, List<Value> inputs, List<Value> result) {
        List<Value> all = new ArrayList<>(inputs);
        all.addAll(result);
        Node made = OperatorNodes.of(graph, name, before, all);
        before.owner().insertBefore(before, made);
        return made.output();
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

    static boolean isOne(Node node, int input) {
        Double number = number(node, input);
        return number != null && number == 1;
    }

    /** A number that is known, also in a tensor of one element. */
    private static Double number(Node node, int input) {
        Object value = Literals.orNull(node.input(input));
        if (value instanceof Tensor tensor
                && tensor.numel() == 1
                && !tensor.dtype().isQuantized()) {
            return tensor.getDouble(0);
        }
        return value instanceof Number number ? (Double) number.doubleValue() : null;
    }

    private Value constant(Node before, Object value) {
        Node constant = graph.constant(value, RuntimeTypes.of(value)).range(before.range());
        before.owner().insertBefore(before, constant);
        return constant.output();
    }
}
