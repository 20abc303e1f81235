package org.torchnnapi.converter.compat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.converter.report.Refused;

/** The table of all lowerings, by node kind. */
public final class CompatLowerings {
    private static final Map<String, CompatLowering> TABLE = table(List.of(
            new CompatContainerLowering(),
            new CompatIdentityLowering(),
            new CompatReshapeLowering(),
            new CompatSliceLowering(),
            new CompatConcatenationLowering(),
            new CompatMeanLowering(),
            new CompatQuantizationLowering(),
            new CompatArithmeticLowering(),
            new CompatQuantizedArithmeticLowering(),
            new CompatActivationLowering(),
            new CompatSoftmaxLowering(),
            new CompatPoolingLowering(),
            new CompatResizeLowering(),
            new CompatLinearLowering(),
            new CompatQuantizedLinearLowering(),
            new CompatConvolutionLowering(),
            new CompatQuantizedConvolutionLowering()));

    private CompatLowerings() {}

    /** The lowering for a node kind, or null. */
    static CompatLowering of(String kind) {
        return TABLE.get(kind);
    }

    /** Every node kind that has a lowering, sorted. */
    public static Set<String> kinds() {
        return new TreeSet<>(TABLE.keySet());
    }

    private static Map<String, CompatLowering> table(List<CompatLoweringFamily> families) {
        Map<String, CompatLowering> table = new HashMap<>();
        for (CompatLoweringFamily family : families) {
            family.register((kind, arguments, lowering) -> {
                if (table.put(kind, checked(arguments, lowering)) != null) {
                    throw new IllegalStateException("lowering: " + kind + " is registered twice (expected: once)");
                }
            });
        }
        return Map.copyOf(table);
    }

    private static CompatLowering checked(int arguments, CompatLowering lowering) {
        return (node, context) -> {
            int given = node.inputs().size();
            if (given < arguments) {
                throw new Refused(
                        "the operator must have PyTorch 1.13's arguments",
                        given + " arguments",
                        arguments + " or more",
                        "save the model with PyTorch 1.13");
            }
            lowering.lower(node, context);
        };
    }
}
