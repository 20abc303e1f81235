package org.torchnnapi.operators.passes;

import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Between what numbers an activation keeps its input, which it leaves as it is there: rectified linear units, and what
 * clamps to known numbers.
 *
 * @param low null where there is no such limit
 * @param high the same
 */
public record ActivationLimits(Number low, Number high) {
    private static final Number ZERO = 0L;

    /** Null for a node that is none. */
    public static ActivationLimits of(Node node) {
        return switch (node.kind()) {
            case "aten::relu", "aten::relu_" -> new ActivationLimits(ZERO, null);
            case "aten::relu6", "aten::relu6_" -> new ActivationLimits(ZERO, 6L);
            case "aten::hardtanh", "aten::hardtanh_", "aten::clamp", "aten::clamp_" ->
                isKnown(node, 1) && isKnown(node, 2) ? new ActivationLimits(number(node, 1), number(node, 2)) : null;
            default -> null;
        };
    }

    /** Whether what is below zero becomes zero, and nothing between it and the upper limit another number. */
    public boolean isRectified() {
        return low != null && low.doubleValue() == 0;
    }

    private static boolean isKnown(Node node, int input) {
        return input < node.inputs().size() && (Literals.isNone(node.input(input)) || number(node, input) != null);
    }

    private static Number number(Node node, int input) {
        return Literals.orNull(node.input(input)) instanceof Number number ? number : null;
    }
}
