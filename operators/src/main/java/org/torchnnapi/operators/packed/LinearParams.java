package org.torchnnapi.operators.packed;

import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** A quantized linear layer's weight {@code [out, in]} and bias (float32, or null). State: {@code (weight, bias)}. */
public record LinearParams(Tensor weight, Tensor bias) {
    public static final PackedClass<LinearParams> CLASS = new PackedClass<>(
            "quantized.LinearPackedParamsBase",
            LinearParams.class,
            params -> ScriptTuple.of(params.weight, params.bias),
            state -> new LinearParams((Tensor) ((ScriptTuple) state).get(0), (Tensor) ((ScriptTuple) state).get(1)),
            Map.of("unpack", params -> ScriptTuple.of(params.weight, params.bias), "bias", LinearParams::bias));

    /** @throws IllegalArgumentException if the weight is no quantized or half-precision matrix */
    public LinearParams {
        if (weight.rank() != 2) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: a matrix)");
        }
    }
}
