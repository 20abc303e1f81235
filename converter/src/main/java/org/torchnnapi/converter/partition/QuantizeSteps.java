package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.OperatorForms;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Steps between real and quantized tensors as NNAPI has them: scales that are tensors become numbers, and what only
 * moves elements moves quantized ones. Nothing else is computed, to the bit.
 */
public final class QuantizeSteps {
    private QuantizeSteps() {}

    /** @param graph functional, its attributes constants */
    public static void run(Graph graph) {
        run(graph.block());
    }

    private static void run(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(QuantizeSteps::run);
            boolean moves = OperatorTrait.KEEPS_INTEGERS.of(node)
                    && (OperatorTrait.KEEPS_ORDER.of(node)
                            || OperatorTrait.SAME_PLACES.of(node)
                            || OperatorForms.showsAll(node.schema()));
            if (QuantizeOperators.isQuantize(node)) {
                number(node);
            } else if (moves) {
                move(node);
            }
        }
    }

    private static void number(Node node) {
        if (node.inputs().size() != 4) {
            return;
        }
        Object scale = Literals.orNull(node.input(1));
        Object zeroPoint = Literals.orNull(node.input(2));
        if (!(scale instanceof Tensor step)
                || !(zeroPoint instanceof Tensor zero)
                || step.numel() * zero.numel() != 1) {
            return;
        }
        replace(
                node,
                NodeBuilder.before(node)
                        .tensor(
                                QuantizeOperators.QUANTIZE,
                                node.input(0),
                                step.getDouble(0),
                                zero.getLong(0),
                                node.input(3)));
    }

    private static void move(Node node) {
        Node step = node.input(0).definition();
        if (step == null
                || !QuantizeOperators.isDequantize(step)
                || step.input(0).type() != Type.Basic.TENSOR
                || step.owner() != node.owner()
                || step.output().uses().size() != 1) {
            return;
        }
        NodeBuilder calls = NodeBuilder.before(node);
        List<Value> inputs = new ArrayList<>(node.inputs());
        inputs.set(0, step.input(0));
        replace(node, calls.dequantize(calls.again(node, inputs)));
        step.destroy();
    }

    private static void replace(Node node, Value made) {
        node.output().replaceAllUsesWith(made);
        node.destroy();
    }
}
