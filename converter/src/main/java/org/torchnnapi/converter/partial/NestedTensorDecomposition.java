package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.operators.Composite;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Layers over nested tensors, sequences without their padding, as traces of {@code nn.TransformerEncoder} with a
 * padding mask have them: said over padded ones, whose shapes do not depend on the lengths. No step attends to padding;
 * what lies behind is filled in when the sequences are padded again, to as many steps as the longest has. The nested
 * form is made too where something else reads it.
 */
final class NestedTensorDecomposition {
    private static final Function LENGTHS =
            new Composite("nested::lengths(Tensor mask) -> Tensor", "return torch.sum(mask, [1])", null).function();

    private static final Function LAYER = new Composite(
                    "nested::layer(Tensor src, Tensor lengths, int embed_dim, int num_heads, Tensor qkv_weight, "
                            + "Tensor qkv_bias, "
                            + "Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, "
                            + "Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, "
                            + "Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2) -> "
                            + "Tensor",
                    """
        behind = torch.ge(torch.unsqueeze(torch.arange(torch.size(src, 1)), 0), torch.unsqueeze(lengths, 1))
        return torch._transformer_encoder_layer_fwd(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, \
        proj_bias, use_gelu, norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, \
        ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, behind, 1)""",
                    null)
            .function();

    private static final Function PADDED =
            new Composite("nested::padded(Tensor src, Tensor lengths, float padding) -> Tensor", """
        behind = torch.ge(torch.unsqueeze(torch.arange(torch.size(src, 1)), 0), torch.unsqueeze(lengths, 1))
        filled = torch.masked_fill(src, torch.unsqueeze(behind, 2), padding)
        return torch.slice(filled, 1, 0, int(torch.max(lengths)))""", null).function();

    /** How many of a layer's arguments stand before the mask. */
    private static final int ARGUMENTS = 18;

    private final AbstractInterpreter interpreter;
    private final Map<Value, Nested> nested = new IdentityHashMap<>();

    /**
     * @param padded of (sequences, steps, features)
     * @param lengths of the sequences
     */
    private record Nested(AbstractValue padded, AbstractValue lengths) {}

    NestedTensorDecomposition(AbstractInterpreter interpreter) {
        this.interpreter = interpreter;
    }

    /** @return whether the node was one of nested tensors, and its results are defined */
    boolean visit(Node node, List<AbstractValue> inputs) {
        if (node.is("aten::_nested_tensor_from_mask")) {
            return nest(node, inputs);
        }
        Nested of = !inputs.isEmpty() && inputs.get(0) instanceof Open open ? nested.get(open.value()) : null;
        if (of == null) {
            return false;
        }
        switch (node.kind()) {
            case "prim::is_nested" -> interpreter.define(node.output(), new Known(true));
            case "aten::dim" -> interpreter.define(node.output(), new Known(3L));
            case "aten::to_padded_tensor" -> {
                if (!AbstractValue.isNone(inputs.get(2)) || !(inputs.get(1) instanceof Known)) {
                    return false;
                }
                interpreter.define(
                        node.output(),
                        interpreter
                                .follow(PADDED.graph(), List.of(of.padded(), of.lengths(), inputs.get(1)))
                                .get(0));
            }
            case "aten::_transformer_encoder_layer_fwd" -> {
                if (inputs.stream().skip(ARGUMENTS).anyMatch(mask -> !AbstractValue.isNone(mask))) {
                    return false;
                }
                List<AbstractValue> arguments = new ArrayList<>(List.of(of.padded(), of.lengths()));
                arguments.addAll(inputs.subList(1, ARGUMENTS));
                interpreter.residualize(node);
                AbstractValue made =
                        interpreter.follow(LAYER.graph(), arguments).get(0);
                nested.put(((Open) interpreter.of(node.output())).value(), new Nested(made, of.lengths()));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Where the mask is not to be checked for gaps, as encoders have it checked before. */
    private boolean nest(Node node, List<AbstractValue> inputs) {
        boolean plain = AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor from
                && from.rank() == 3
                && AbstractInterpreter.sample(inputs.get(1)) instanceof Tensor mask
                && mask.rank() == 2
                && inputs.get(2) instanceof Known checks
                && Boolean.FALSE.equals(checks.value())
                && node.output().type() == Type.Basic.TENSOR;
        if (!plain) {
            return false;
        }
        interpreter.residualize(node);
        AbstractValue lengths =
                interpreter.follow(LENGTHS.graph(), List.of(inputs.get(1))).get(0);
        nested.put(((Open) interpreter.of(node.output())).value(), new Nested(inputs.get(0), lengths));
        return true;
    }
}
