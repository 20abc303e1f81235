package org.torchnnapi.quantizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Replaces linear, LSTM and GRU layers by those with quantized weights that quantize their input by its own range, as
 * {@code torch.ao.quantization.quantize_dynamic} does; in branches and loops too.
 */
final class DynamicRewriting {
    private static final int TENSORS_A_CELL = 4;

    private final Graph graph;
    private final Predicate<Node> stays;
    private final boolean perChannel;
    private final List<String> replaced = new ArrayList<>();
    private final List<String> kept = new ArrayList<>();

    DynamicRewriting(Graph graph, Predicate<Node> stays, boolean perChannel) {
        this.graph = graph;
        this.stays = stays;
        this.perChannel = perChannel;
    }

    DynamicRewriting run() {
        block(graph.block());
        DeadCode.run(graph);
        return this;
    }

    /** Names of the layers that are quantized. */
    List<String> replaced() {
        return replaced;
    }

    /** Names of those that stay float, with the reason. */
    List<String> kept() {
        return kept;
    }

    private void block(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(this::block);
            switch (node.kind()) {
                case "aten::linear" -> replace(node, linear(node));
                case "aten::lstm", "aten::gru" -> replace(node, recurrent(node));
                default -> {}
            }
        }
    }

    private void replace(Node node, Optional<Node> made) {
        String name = new QuantizedPart(QuantizedPart.Role.PRODUCT, node, node, List.of(), false, null).name();
        if (!made.isPresent()) {
            kept.add(name);
            return;
        }
        replaced.add(name);
        node.owner().insertBefore(node, made.get());
        for (int i = 0; i < node.outputs().size(); i++) {
            made.get().output(i).name(node.output(i).name());
            node.output(i).replaceAllUsesWith(made.get().output(i));
        }
        node.destroy();
    }

    private Optional<Node> linear(Node node) {
        Optional<Product> found = stays.test(node) ? Optional.empty() : Product.of(node);
        return found.map(product -> {
            CustomObject packed = Operators.linear(quantized(product.weight()), product.bias());
            Node made = NodeBuilder.before(node).operator("quantized::linear_dynamic", node.input(0), packed, true);
            made.addOutput(Type.Basic.TENSOR);
            return made;
        });
    }

    private Tensor quantized(Tensor weight) {
        return Operators.quantize(weight, perChannel ? Scales.symmetricPerChannel(weight) : Scales.symmetric(weight));
    }

    private Optional<Node> recurrent(Node node) {
        boolean plain = node.schema() != null && node.schema().overload().equals("input");
        Object list = plain ? Literals.orNull(node.input(2)) : null;
        Object biased = plain ? Literals.orNull(node.input(3)) : null;
        if (stays.test(node)
                || !(list instanceof ScriptList tensors)
                || !Boolean.TRUE.equals(biased)
                || tensors.size() % TENSORS_A_CELL != 0) {
            return Optional.empty();
        }
        NodeBuilder calls = NodeBuilder.before(node);
        List<Value> cells = new ArrayList<>();
        for (int at = 0; at < tensors.size(); at += TENSORS_A_CELL) {
            CustomObject[] packed = new CustomObject[2];
            for (int i = 0; i < 2; i++) {
                packed[i] = Operators.linear(quantized(dense(tensors.get(at + i))), dense(tensors.get(at + 2 + i)));
            }
            cells.add(calls.constant(Operators.call(
                    "quantized::make_quantized_cell_params_dynamic",
                    packed[0],
                    packed[1],
                    dense(tensors.get(at + 2)),
                    dense(tensors.get(at + 3)),
                    true)));
        }
        List<Object> inputs = new ArrayList<>(node.inputs());
        inputs.set(2, calls.list(cells.get(0).type(), cells.toArray(new Value[0])));
        boolean lstm = node.is("aten::lstm");
        if (lstm) {
            inputs.add(DType.QINT8.code());
            inputs.add(true);
        }
        Node made =
                calls.operator((lstm ? "aten::quantized_lstm" : "aten::quantized_gru") + ".input", inputs.toArray());
        node.outputs().forEach(output -> made.addOutput(Type.Basic.TENSOR));
        return Optional.of(made);
    }

    private static Tensor dense(Object value) {
        Tensor tensor = ((Tensor) value).contiguous();
        return new Tensor(tensor.storage(), tensor.offset(), tensor.sizes(), tensor.strides(), null);
    }
}
