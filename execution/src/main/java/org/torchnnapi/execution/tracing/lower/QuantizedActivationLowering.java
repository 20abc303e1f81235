package org.torchnnapi.execution.tracing.lower;

import java.util.List;

/** Activations of quantized tensors with a scale and zero point of their own. */
final class QuantizedActivationLowering implements LoweringFamily {
    private static final List<String> FUNCTIONS =
            List.of("threshold", "sigmoid", "hardswish", "leaky_relu", "elu", "celu");

    @Override
    public void register(Registrar r) {
        for (String name : FUNCTIONS) {
            r.add("quantized::" + name, (lowered, node, a) -> {
                // leaky_relu may be asked to write to its input.
                int inPlace = node.schema().indexOf("inplace");
                Support.require(inPlace < 0 || Boolean.FALSE.equals(a[inPlace]), "a result of its own");
                return ByteFunctions.unary(lowered, a, 0);
            });
        }
        r.add("quantized::relu6", (lowered, node, a) -> {
            Support.require(Boolean.FALSE.equals(a[1]), "a result of its own");
            return ByteFunctions.limited(lowered, a, 0);
        });
        r.add("quantized::clamp", (lowered, node, a) -> ByteFunctions.limited(lowered, a, 0));
    }
}
