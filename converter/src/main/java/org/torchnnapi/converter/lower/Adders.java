package org.torchnnapi.converter.lower;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The table of all lowerings, by node kind. */
public final class Adders {
    private static final Map<String, Adder> TABLE = table(List.of(
        new ContainerAdder(), new IdentityAdder(), new ReshapeAdder(), new SliceAdder(),
        new ConcatenationAdder(), new MeanAdder(), new QuantizationAdder(), new ArithmeticAdder(),
        new QuantizedArithmeticAdder(), new ActivationAdder(), new SoftmaxAdder(), new PoolingAdder(),
        new ResizeAdder(), new LinearAdder(), new QuantizedLinearAdder(), new ConvolutionAdder(),
        new QuantizedConvolutionAdder()));

    private Adders() {
    }

    /** The lowering for a node kind, or null. */
    static Adder of(String kind) {
        return TABLE.get(kind);
    }

    /** Every node kind that has a lowering, sorted. */
    public static Set<String> kinds() {
        return new TreeSet<>(TABLE.keySet());
    }

    private static Map<String, Adder> table(List<AdderFamily> families) {
        Map<String, Adder> table = new HashMap<>();
        for (AdderFamily family : families) {
            family.register((kind, arguments, lowering) -> {
                if (table.put(kind, checked(arguments, lowering)) != null) {
                    throw new IllegalStateException("lowering: " + kind + " is registered twice (expected: once)");
                }
            });
        }
        return Map.copyOf(table);
    }

    private static Adder checked(int arguments, Adder lowering) {
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
