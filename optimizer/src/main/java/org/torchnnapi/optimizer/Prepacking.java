package org.torchnnapi.optimizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.passes.ActivationLimits;
import org.torchnnapi.operators.passes.RankChecks;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Replaces convolutions and linear layers of known float32 weights by the operators that take them packed, with the
 * activation behind them as limits of the result.
 */
final class Prepacking {
    private static final OperatorRegistry OPERATORS = OperatorRegistry.withBuiltins();
    /** Dimensions of a batch of images. */
    private static final int BATCH = 4;

    private final Graph graph;
    private final PackedLayers layers;
    private final List<String> notPacked = new ArrayList<>();
    private int convolutions;
    private int linears;
    private int clamps;

    private Prepacking(Graph graph, PackedLayers layers) {
        this.graph = graph;
        this.layers = layers;
    }

    /** The layers of all methods of a module. */
    static PackedLayers layers() {
        return new PackedLayers(OPERATORS);
    }

    static Prepacking run(Graph graph, PackedLayers layers) {
        Prepacking packing = new Prepacking(graph, layers);
        packing.block(graph.block());
        return packing;
    }

    int convolutions() {
        return convolutions;
    }

    int linears() {
        return linears;
    }

    int clamps() {
        return clamps;
    }

    List<String> notPacked() {
        return notPacked;
    }

    private void block(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(this::block);
            switch (node.kind()) {
                case "aten::conv2d" -> convolution(node, false, 3, 4, 5, -1, 6);
                case "aten::_convolution", "aten::convolution" -> general(node);
                case "aten::linear" -> linear(node);
                default -> {}
            }
        }
    }

    private void general(Node node) {
        Optional<Literals.Literal> transposed = Literals.of(node.input(6));
        if (!transposed.isPresent() || !(transposed.get().value() instanceof Boolean isTransposed)) {
            refuse(node, "whether it is transposed is not known");
        } else {
            convolution(node, isTransposed, 3, 4, 5, 7, 8);
        }
    }

    /** @param outputPadding position of that argument; -1 if there is none, of what takes an image by itself too */
    private void convolution(
            Node node, boolean transposed, int stride, int padding, int dilation, int outputPadding, int groups) {
        Tensor weight = floats(node, 1);
        Optional<Literals.Literal> bias = Literals.of(node.input(2));
        Object[] geometry = new Object[4];
        int[] positions = {stride, padding, transposed ? outputPadding : dilation, transposed ? dilation : groups};
        for (int i = 0; i < (transposed ? 4 : 3); i++) {
            geometry[i] = Literals.orNull(node.input(positions[i]));
        }
        Object groupCount = Literals.orNull(node.input(groups));
        if (weight == null
                || weight.rank() != BATCH
                || !bias.isPresent()
                || !isFloatOrNone(bias.get().value())) {
            refuse(
                    node,
                    weight != null && weight.rank() != BATCH
                            ? "its weight has " + weight.rank() + " dimensions (expected: 4)"
                            : "weight or bias is no float32 constant that has elements");
            return;
        }
        boolean known = groupCount instanceof Long;
        for (int i = 0; i < (transposed ? 4 : 3); i++) {
            known &= geometry[i] instanceof ScriptList list && list.items().size() == 2;
        }
        if (!known) {
            refuse(node, "stride, padding or dilation is not a pair of constants");
            return;
        }
        Object[] limits = limits(node);
        List<Object> arguments = new ArrayList<>(
                Arrays.asList(weight, detached(bias.get().value()), geometry[0], geometry[1], geometry[2]));
        if (transposed) {
            arguments.add(geometry[3]);
        }
        arguments.add(groupCount);
        arguments.add(limits[0]);
        arguments.add(limits[1]);
        replace(
                node,
                (Node) limits[2],
                transposed ? "conv2d_transpose_clamp" : "conv2d_clamp",
                arguments,
                outputPadding < 0 && !RankChecks.require(node.output(), BATCH));
        convolutions++;
    }

    private void linear(Node node) {
        Tensor weight = floats(node, 1);
        Optional<Literals.Literal> bias = Literals.of(node.input(2));
        if (weight == null
                || weight.rank() != 2
                || !bias.isPresent()
                || !isFloatOrNone(bias.get().value())) {
            refuse(node, "weight or bias is no float32 constant that has elements");
            return;
        }
        Object[] limits = limits(node);
        replace(
                node,
                (Node) limits[2],
                "linear_clamp",
                Arrays.asList(weight, detached(bias.get().value()), limits[0], limits[1]),
                false);
        linears++;
    }

    private void refuse(Node node, String reason) {
        notPacked.add(node.kind() + " at " + node.range() + ": " + reason);
    }

    private static Tensor floats(Node node, int input) {
        return Literals.of(node.input(input))
                .map(Literals.Literal::value)
                .filter(value ->
                        value instanceof Tensor tensor && tensor.dtype() == DType.FLOAT32 && tensor.numel() > 0)
                .map(Prepacking::detached)
                .orElse(null);
    }

    /** Weights that are packed take no gradients. */
    static Tensor detached(Object value) {
        return value instanceof Tensor tensor
                ? new Tensor(tensor.storage(), tensor.offset(), tensor.sizes(), tensor.strides(), null)
                : null;
    }

    private static boolean isFloatOrNone(Object value) {
        return value == null || value instanceof Tensor tensor && tensor.dtype() == DType.FLOAT32;
    }

    /** Lowest and highest result and the activation that says so, if it is the only reader; nulls otherwise. */
    private static Object[] limits(Node node) {
        Object[] none = new Object[3];
        List<Value.Use> uses = node.output().elementUses();
        if (uses.size() != 1) {
            return none;
        }
        Node user = uses.get(0).user();
        if (user.owner() != node.owner()
                || user.inputs().isEmpty()
                || user.input(0) != node.output()
                || !user.blocks().isEmpty()) {
            return none;
        }
        ActivationLimits limits = ActivationLimits.of(user);
        return limits == null ? none : new Object[] {limits.low(), limits.high(), user};
    }

    /** @param either whether the input may be an image by itself, of which packed convolutions take only batches */
    private void replace(Node node, Node activation, String operator, List<Object> arguments, boolean either) {
        CustomObject packed = layers.of(operator, arguments);
        NodeBuilder before = at(node, made -> node.owner().insertBefore(node, made));
        Value constant = before.constant(packed);
        Value run =
                either ? runEither(node, operator, constant, before) : run(before, operator, node.input(0), constant);
        Value result = activation == null ? node.output() : activation.output();
        run.name(result.name());
        result.replaceAllUsesWith(run);
        if (activation != null) {
            // What asks for sizes alone.
            node.output().replaceAllUsesWith(run);
            activation.destroy();
            clamps++;
        }
        node.destroy();
    }

    private NodeBuilder at(Node node, Consumer<Node> place) {
        return NodeBuilder.of(graph, made -> place.accept(made.range(node.range())));
    }

    private static Value run(NodeBuilder into, String operator, Value input, Value packed) {
        return into.tensor("prepacked::" + operator + "_run", input, packed);
    }

    private Value runEither(Node node, String operator, Value packed, NodeBuilder before) {
        Value input = node.input(0);
        Node choice = graph.create(Prim.IF).addInput(before.areEqual(before.rank(input), BATCH - 1));
        for (boolean single : new boolean[] {true, false}) {
            Block block = choice.addBlock();
            NodeBuilder inside = at(node, block::append);
            Value given = single ? inside.unsqueeze(input, 0) : input;
            Value made = run(inside, operator, given, packed);
            block.addResult(single ? inside.squeeze(made, 0) : made);
        }
        before.append(choice);
        return choice.addOutput(Type.Basic.TENSOR);
    }
}
