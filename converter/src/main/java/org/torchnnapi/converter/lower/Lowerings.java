package org.torchnnapi.converter.lower;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The table of all lowerings, by node kind. */
public final class Lowerings {
    private static final Map<String, Lowering> TABLE = table(List.of(
        new ContainerLowering(), new IdentityLowering(), new ReshapeLowering(), new SliceLowering(),
        new ConcatenationLowering(), new MeanLowering(), new QuantizationLowering(), new ArithmeticLowering(),
        new QuantizedArithmeticLowering(), new ActivationLowering(), new SoftmaxLowering(), new PoolingLowering(),
        new ResizeLowering(), new LinearLowering(), new QuantizedLinearLowering(), new ConvolutionLowering(),
        new QuantizedConvolutionLowering()));

    private Lowerings() {
    }

    /** The lowering for a node kind, or null. */
    static Lowering of(String kind) {
        return TABLE.get(kind);
    }

    /** Every node kind that has a lowering, sorted. */
    public static Set<String> kinds() {
        return new TreeSet<>(TABLE.keySet());
    }

    private static Map<String, Lowering> table(List<LoweringFamily> families) {
        Map<String, Lowering> table = new HashMap<>();
        for (LoweringFamily family : families) {
            family.register((kind, arguments, lowering) -> {
                if (table.put(kind, checked(arguments, lowering)) != null) {
                    throw new IllegalStateException("lowering: " + kind + " is registered twice (expected: once)");
                }
            });
        }
        return Map.copyOf(table);
    }

    private static Lowering checked(int arguments, Lowering lowering) {
        return (node, context) -> {
            int given = node.inputs().size();
            if (given < arguments) {
                throw new Refused("the operator must have PyTorch 1.13's arguments", given + " arguments", arguments + " or more",
                    "save the model with PyTorch 1.13");
            }
            lowering.lower(node, context);
        };
    }
}
