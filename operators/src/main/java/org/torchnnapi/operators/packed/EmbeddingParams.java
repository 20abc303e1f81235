package org.torchnnapi.operators.packed;

import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * A quantized embedding table {@code [entries, dimension]} with a scale and a real zero point per entry. State:
 * {@code (version, [weight], [], [bit rate])}.
 *
 * @param bitRate bits an element: 8
 */
public record EmbeddingParams(Tensor weight, int bitRate) {
    public static final PackedClass<EmbeddingParams> CLASS = new PackedClass<>("quantized.EmbeddingPackedParamsBase",
        EmbeddingParams.class, EmbeddingParams::state, EmbeddingParams::ofState,
        Map.of("unpack", EmbeddingParams::weight, "bit_rate", params -> (long) params.bitRate, "version", params -> EmbeddingParams.STATE_VERSION));

    private static final long STATE_VERSION = 1;

    private Object state() {
        return ScriptTuple.of(STATE_VERSION, new ScriptList(Type.Basic.TENSOR, List.of(weight)), new ScriptList(Type.Basic.FLOAT),
            ScriptList.ofInts(bitRate));
    }

    private static EmbeddingParams ofState(Object value) {
        ScriptTuple state = (ScriptTuple) value;
        return new EmbeddingParams((Tensor) ((ScriptList) state.get(1)).get(0), (int) ((ScriptList) state.get(3)).toLongs()[0]);
    }
}
