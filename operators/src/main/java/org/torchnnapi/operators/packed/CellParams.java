package org.torchnnapi.operators.packed;

import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The parameters of one dynamically quantized recurrent cell. State: {@code ('quantized_dynamic', [biases], [], [reduce
 * range], [input weights, hidden weights])}.
 */
public record CellParams(
        LinearParams input, LinearParams hidden, Tensor inputBias, Tensor hiddenBias, boolean reduceRange) {
    public static final PackedClass<CellParams> CLASS =
            new PackedClass<>("rnn.CellParamsBase", CellParams.class, CellParams::state, CellParams::ofState);

    private static final String KIND = "quantized_dynamic";

    private Object state() {
        return ScriptTuple.of(
                KIND,
                new ScriptList(Type.Basic.TENSOR, List.of(inputBias, hiddenBias)),
                new ScriptList(Type.Basic.FLOAT),
                ScriptList.ofInts(reduceRange ? 1 : 0),
                new ScriptList(
                        ClassType.custom(LinearParams.CLASS.qualifiedName()),
                        List.of(LinearParams.CLASS.wrap(input), LinearParams.CLASS.wrap(hidden))));
    }

    private static CellParams ofState(Object value) {
        ScriptTuple state = (ScriptTuple) value;
        if (!KIND.equals(state.get(0))) {
            throw new IllegalArgumentException("recurrent cell: " + state.get(0) + " (expected: " + KIND + ")");
        }
        ScriptList biases = (ScriptList) state.get(1);
        ScriptList weights = (ScriptList) state.get(4);
        long[] flags = ((ScriptList) state.get(3)).toLongs();
        return new CellParams(
                (LinearParams) ((CustomObject) weights.get(0)).payload(),
                (LinearParams) ((CustomObject) weights.get(1)).payload(),
                (Tensor) biases.get(0),
                (Tensor) biases.get(1),
                flags.length > 0 && flags[0] != 0);
    }
}
