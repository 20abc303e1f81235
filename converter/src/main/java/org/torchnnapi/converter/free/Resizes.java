package org.torchnnapi.converter.free;

import java.util.Map;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/** Images brought to another size, by the nearest pixel or between four. */
final class Resizes implements NodeFamily {
    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::upsample_nearest2d", Resizes::nearest);
        table.put("aten::upsample_bilinear2d", Resizes::bilinear);
    }

    private static void nearest(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        for (int axis = 0; axis < 2; axis++) {
            requireSamePixels(from.size(2 + axis), to.size(2 + axis), factor(node, scope, 2, axis));
        }
        requireReal(node, scope);
        scope.define(node.output(), scope.net().resize(OperationType.RESIZE_NEAREST_NEIGHBOR, scope.image(node.input(0)), to.size(2), to.size(3), false, false),
            Scope.IMAGE);
    }

    private static void requireReal(Node node, Scope scope) {
        if (scope.facts(node.input(0)).quantization() == null) {
            scope.requireFloat(node.input(0));
        }
    }

    /** The factor given for a direction (height first), or 0. */
    private static double factor(Node node, Scope scope, int first, int axis) {
        Value given = scope.optional(node, first);
        if (given == null && scope.optional(node, first + axis) == null) {
            return 0;
        }
        if (given != null && scope.constant(given) instanceof ScriptList list) {
            return ((Number) list.get(list.size() == 1 ? 0 : axis)).doubleValue();
        }
        Value own = scope.optional(node, first + axis);
        return own == null ? 0 : scope.number(own);
    }

    /** PyTorch takes the pixel at {@code floor(i / factor)}, NNAPI the one at {@code floor(i in / out)}; both in float32. */
    private static void requireSamePixels(int from, int to, double factor) {
        float torch = factor > 0 ? (float) (1 / factor) : (float) from / to;
        float nnapi = (float) from / to;
        for (int i = 0; i < to; i++) {
            if (Math.min((int) Math.floor(i * torch), from - 1) != Math.min((int) Math.floor(i * nnapi), from - 1)) {
                throw new Refused("NNAPI and PyTorch pick other pixels for this factor", "factor " + factor + " of size " + from,
                    "a factor that gives a whole number of pixels", "upsample to a size instead");
            }
        }
    }

    private static void bilinear(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        boolean corners = scope.flag(node.input(2));
        for (int axis = 0; axis < 2; axis++) {
            double factor = corners ? 0 : factor(node, scope, 3, axis);
            if (factor > 0 && from.size(2 + axis) * factor != to.size(2 + axis)) {
                throw new Refused("NNAPI takes its factors from the sizes", "factor " + factor + " of size " + from.size(2 + axis),
                    "a factor that gives a whole number of pixels", "upsample to a size instead");
            }
        }
        scope.define(node.output(), scope.net().resize(OperationType.RESIZE_BILINEAR, scope.image(node.input(0)), to.size(2), to.size(3), corners, !corners),
            Scope.IMAGE);
    }
}
