package org.torchnnapi.quantizer;

import java.util.List;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Nodes of a float graph that become one quantized operator.
 *
 * @param role where the scale of the result comes from
 * @param node the operation
 * @param end the activation that is fused with it, or the unpacking of the list it makes, or itself
 * @param inputs float tensors that are to be quantized
 * @param relu whether {@code end} is an activation
 * @param product null unless the role is {@link Role#PRODUCT}
 */
record QuantizedPart(Role role, Node node, Node end, List<Value> inputs, boolean relu, Product product) {
    /** Where the scale of the result comes from. */
    enum Role {
        /** Observed; a layer with weights. */
        PRODUCT,
        /** Observed. */
        OBSERVED,
        /** Known from the function, such as 1/256 for sigmoid. */
        FIXED,
        /** That of the input. */
        SAME
    }

    List<Value> outputs() {
        return end.outputs();
    }

    boolean isObserved() {
        return role == Role.PRODUCT || role == Role.OBSERVED;
    }

    /** Path of the module, and operator; the line of source where the model has no modules. */
    String name() {
        SourceRange range = node.range();
        String operator = node.kind().substring(node.kind().indexOf(':') + 2);
        return range.module().isEmpty() ? operator + " at " + range : range.module() + " (" + operator + ")";
    }
}
