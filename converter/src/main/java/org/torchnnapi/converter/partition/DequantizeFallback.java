package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.lower.OperandTypes;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Operators of 8-bit tensors that NNAPI has for real numbers only: their arguments are dequantized, and their results
 * quantized as PyTorch's own operator gives them.
 */
final class DequantizeFallback {
    private static final String ATEN = "aten::";

    private DequantizeFallback() {}

    /** @return whether any node was replaced that NNAPI cannot take as it is */
    static boolean run(NodeSupport support) {
        PartialEvaluation.Facts facts = support.facts();
        boolean changed = false;
        for (Node node : support.refused()) {
            if (node.owner() != null && isMeantOfReals(node, facts)) {
                replace(node, facts);
                changed = true;
            }
        }
        return changed;
    }

    /**
     * Results are quantized, places or truth values; operators that give others take quantized numbers apart.
     * Element-wise ones have bounds and tables of quantized numbers of their own, unless they are made of others, which
     * take real numbers.
     */
    private static boolean isMeantOfReals(Node node, PartialEvaluation.Facts facts) {
        return node.kind().startsWith(ATEN)
                && (!OperatorTrait.ELEMENTWISE.of(node) || OperatorTrait.COMPOSITE.of(node))
                && node.blocks().isEmpty()
                && node.schema() != null
                && !node.schema().isMutating()
                && node.inputs().stream().anyMatch(input -> isQuantized(input, facts))
                && node.outputs().stream()
                        .allMatch(output -> facts.of(output) != null
                                && (isQuantized(output, facts)
                                        || facts.of(output).dtype() == DType.BOOL
                                        || OperandTypes.isWhole(facts.of(output).dtype())));
    }

    private static boolean isQuantized(Value value, PartialEvaluation.Facts facts) {
        TensorFacts known = facts.of(value);
        return known != null && known.dtype() == DType.QUINT8 && known.quantization() instanceof Quantization.PerTensor;
    }

    private static void replace(Node node, PartialEvaluation.Facts facts) {
        NodeBuilder calls = NodeBuilder.before(node);
        List<Value> inputs = new ArrayList<>();
        for (Value input : node.inputs()) {
            inputs.add(isQuantized(input, facts) ? calls.dequantize(input) : input);
        }
        Node made = calls.create(node.kind()).schema(node.schema());
        inputs.forEach(made::addInput);
        calls.append(made);
        for (Value output : List.copyOf(node.outputs())) {
            Value real = made.addOutput(output.type());
            output.replaceAllUsesWith(
                    facts.of(output).quantization() instanceof Quantization.PerTensor q
                            ? calls.tensor(
                                    QuantizeOperators.QUANTIZE, real, q.scale(), q.zeroPoint(), DType.QUINT8.code())
                            : real);
        }
        node.destroy();
    }
}
