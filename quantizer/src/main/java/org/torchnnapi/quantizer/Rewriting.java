package org.torchnnapi.quantizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.operators.passes.QuantizedForms;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.value.CustomObject;

/**
 * Makes a quantized graph of a float one: its parts become quantized operators, with steps to and from real numbers at
 * their borders.
 */
final class Rewriting {
    private final Graph graph = new Graph();
    private final Map<Value, Value> copies = new HashMap<>();
    private final Map<Value, Observer> observers;
    private final Map<Node, Tensor> shifts;
    private final boolean perChannel;
    /** Quantized forms of the float graph's values. */
    private final Map<Value, Value> quantized = new LinkedHashMap<>();
    /** Those that a part gives. */
    private final Map<Value, Value> produced = new LinkedHashMap<>();

    private final Map<Value, Quantization.PerTensor> parameters = new LinkedHashMap<>();
    /** Of quantized forms. */
    private final Map<Value, Double> scales = new HashMap<>();

    private final List<QuantizedPart> replaced = new ArrayList<>();

    /**
     * @param observers of the values that parts take and give
     * @param shifts what is added to the biases of layers, by node; none for most
     */
    Rewriting(Graph source, Map<Value, Observer> observers, Map<Node, Tensor> shifts, boolean perChannel) {
        this.observers = observers;
        this.shifts = shifts;
        this.perChannel = perChannel;
        for (Value input : source.inputs()) {
            copies.put(input, graph.addInput(input.type(), input.name()));
        }
        new BlockCopy(graph, copies)
                .copyInto(source.block(), graph.block()::append)
                .forEach(graph.block()::addResult);
    }

    Graph graph() {
        return graph;
    }

    /** What became of the values that parts give, as far as something still uses them. */
    Map<Value, Value> produced() {
        return produced;
    }

    /** Scale and zero point of observed values. */
    Map<Value, Quantization.PerTensor> parameters() {
        return parameters;
    }

    /** The parts that became quantized operators; the others no engine of PyTorch would run. */
    List<QuantizedPart> replaced() {
        return replaced;
    }

    Rewriting run(List<QuantizedPart> parts) {
        parts.stream().filter(this::isRun).forEach(this::replace);
        // From the back, so that what still uses a value is what stays float.
        for (int i = replaced.size() - 1; i >= 0; i--) {
            remove(replaced.get(i));
        }
        denseViews(graph.block());
        DeadCode.run(graph);
        return this;
    }

    private boolean isRun(QuantizedPart part) {
        return !part.isObserved()
                || QuantizedForms.isRun(
                        part.node(),
                        part.inputs().stream().map(this::scale).collect(Streams.toList()),
                        parameters(part.outputs().get(0)).scale());
    }

    private double scale(Value value) {
        return scales.computeIfAbsent(value, v -> parameters(v).scale());
    }

    private double scale(QuantizedPart part) {
        return switch (part.role()) {
            case PRODUCT, OBSERVED -> parameters(part.outputs().get(0)).scale();
            case FIXED -> Operators.resultScale(part.node().kind());
            case SAME -> scale(part.inputs().get(0));
        };
    }

    private void replace(QuantizedPart part) {
        replaced.add(part);
        Node node = copy(part.node());
        List<Value> inputs =
                part.inputs().stream().map(input -> quantized(input, node)).collect(Streams.toList());
        Value made = switch (part.role()) {
            case PRODUCT -> product(part, node, inputs.get(0));
            case OBSERVED -> observed(part, node, inputs);
            default -> same(node, inputs.get(0));
        };
        List<Value> results = List.of(made);
        if (part.end() != part.node() && !part.relu()) {
            Node unpack = graph.create(Prim.LIST_UNPACK).addInput(made).range(node.range());
            part.outputs().forEach(output -> unpack.addOutput(Type.Basic.TENSOR));
            node.owner().insertBefore(node, unpack);
            results = unpack.outputs();
        }
        for (int i = 0; i < results.size(); i++) {
            Value original = part.outputs().get(i);
            scales.put(original, scale(part));
            results.get(i).name(original.name());
            quantized.put(original, results.get(i));
            produced.put(original, results.get(i));
        }
    }

    private void remove(QuantizedPart part) {
        Node node = copy(part.node());
        Node end = copy(part.end());
        for (Value output : part.outputs()) {
            release(copies.get(output), produced.get(output));
        }
        if (end != node) {
            end.destroy();
        }
        Node list = OperatorTrait.JOINS.of(node) ? node.input(0).definition() : null;
        node.destroy();
        if (list != null) {
            list.destroy();
        }
    }

    private Node copy(Node original) {
        return copies.get(original.outputs().get(0)).definition();
    }

    /** The quantized form of a value; a step that quantizes it if no part gives it. */
    private Value quantized(Value original, Node user) {
        return quantized.computeIfAbsent(original, value -> {
            Value real = copies.get(value);
            Quantization.PerTensor q = parameters(value);
            return NodeBuilder.before(user)
                    .tensor(QuantizeOperators.QUANTIZE, real, q.scale(), q.zeroPoint(), DType.QUINT8.code());
        });
    }

    private Quantization.PerTensor parameters(Value value) {
        return parameters.computeIfAbsent(
                value, v -> Scales.affine(observers.get(v).range()));
    }

    private Value product(QuantizedPart part, Node node, Value input) {
        Product product = part.product();
        Tensor weight = weight(product);
        Tensor bias = shifted(product.bias(), shifts.get(part.node()));
        String layer = "quantized::" + product.kind().operator();
        CustomObject packed = QuantizedForms.packed(layer, weight, bias, product.geometry(), product.groups());
        Quantization.PerTensor q = parameters(part.outputs().get(0));
        String overload = product.kind() == Product.Kind.CONVOLUTION_2D ? ".new" : "";
        return NodeBuilder.before(node)
                .tensor(layer + (part.relu() ? "_relu" : "") + overload, input, packed, q.scale(), q.zeroPoint());
    }

    private Tensor weight(Product product) {
        boolean channels = perChannel && !product.kind().isTransposed();
        return Operators.quantize(
                product.weight(),
                channels ? Scales.symmetricPerChannel(product.weight()) : Scales.symmetric(product.weight()));
    }

    private static Tensor shifted(Tensor bias, Tensor shift) {
        if (shift == null) {
            return bias;
        }
        float[] values = shift.toFloatArray().clone();
        float[] known = bias == null ? new float[values.length] : bias.toFloatArray();
        for (int c = 0; c < values.length; c++) {
            values[c] += known[c];
        }
        return Tensor.of(values, values.length);
    }

    private Value observed(QuantizedPart part, Node node, List<Value> inputs) {
        Quantization.PerTensor q = parameters(part.outputs().get(0));
        if (!node.is("aten::prelu")) {
            return QuantizedForms.insert(node, node, inputs, q, part.relu());
        }
        Tensor slopes = Product.floats(node, 1);
        Tensor unsigned = Operators.quantize(slopes, Scales.ofSlopes(slopes), DType.QUINT8);
        return NodeBuilder.before(node).tensor("quantized::prelu", inputs.get(0), unsigned, q.scale(), q.zeroPoint());
    }

    /**
     * The same operator on a quantized tensor. What a view needs of strides they may lack, as convolutions give
     * channels last.
     */
    private static Value same(Node node, Value input) {
        NodeBuilder calls = NodeBuilder.before(node);
        if (isView(node)) {
            return calls.reshape(input, node.input(1));
        }
        List<Object> inputs = new ArrayList<>(node.inputs());
        inputs.set(0, input);
        return calls.call(node.schema(), node.output().type(), inputs.toArray());
    }

    private static boolean isView(Node node) {
        return node.schema() != null && node.schema().fullName().equals("aten::view");
    }

    /** Lets what remains in float use a quantized value. */
    private void release(Value real, Value quantizedForm) {
        List<Value.Use> uses = new ArrayList<>(real.uses());
        Value step = null;
        for (Value.Use use : uses) {
            if (OperatorTrait.READS_SIZES.of(use.user())) {
                use.user().setInput(use.index(), quantizedForm);
                continue;
            }
            if (step == null) {
                Node maker = quantizedForm.definition();
                Block block = maker.owner();
                step = NodeBuilder.of(
                                graph,
                                made -> block.insert(block.nodes().indexOf(maker) + 1, made.range(maker.range())))
                        .dequantize(quantizedForm);
            }
            use.user().setInput(use.index(), step);
        }
    }

    /**
     * What stays float may get a tensor in channels last where it was row-major, of which no view of any shape can be
     * had.
     */
    private void denseViews(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(this::denseViews);
            if (isView(node)) {
                Value dense = NodeBuilder.before(node).reshape(node.input(0), node.input(1));
                dense.name(node.output().name());
                node.output().replaceAllUsesWith(dense);
                node.destroy();
            }
        }
    }
}
