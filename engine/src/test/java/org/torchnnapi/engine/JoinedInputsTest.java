package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class JoinedInputsTest {
    private static final Tensor ONE = Tensor.of(new float[] {1, 2}, 1, 2);
    /** Of two rows, whose columns lie beside each other. */
    private static final Tensor TWO = Tensor.of(new float[] {3, 5, 4, 6}, 2, 2).permute(1, 0);

    private final JoinedInputs joined = new JoinedInputs(List.of(new Tensor[] {ONE}, new Tensor[] {TWO}));

    @Test
    void rowsFollowEachOther() {
        assertArrayEquals(new int[] {3, 2}, joined.tensors()[0].sizes());
        assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, joined.tensors()[0].toFloatArray());
        assertArrayEquals(new int[] {1, 2}, ONE.sizes());
    }

    @Test
    void answersOfEveryFormAreDivided() {
        ScriptDict dict = new ScriptDict(Type.Basic.STRING, Type.Basic.TENSOR);
        dict.items().put("rows", Tensor.of(new long[] {7, 8, 9}, 3));
        Object answer = ScriptTuple.of(new ScriptList(Type.Basic.TENSOR, List.of(joined.tensors()[0])), dict);
        ScriptTuple second = (ScriptTuple) joined.parts(answer).get(1);
        Tensor rows = (Tensor) ((ScriptList) second.get(0)).get(0);
        assertArrayEquals(new float[] {3, 4, 5, 6}, rows.toFloatArray());
        assertEquals(4, rows.storage().length(), "memory of its own");
        assertArrayEquals(
                new long[] {8, 9},
                ((Tensor) ((ScriptDict) second.get(1)).items().get("rows")).toLongArray());
        assertNull(joined.parts(ScriptTuple.of(joined.tensors()[0], 3L)));
        assertNull(joined.parts(ONE));
    }

    @Test
    void onlyWhatIsAlikeIsJoined() {
        assertEquals(JoinedInputs.Key.of(ONE), JoinedInputs.Key.of(TWO));
        assertNotEquals(JoinedInputs.Key.of(ONE), JoinedInputs.Key.of(Tensor.zeros(DType.INT64, 1, 2)));
        assertNotEquals(JoinedInputs.Key.of(ONE), JoinedInputs.Key.of(Tensor.zeros(DType.FLOAT32, 1, 3)));
        Tensor bytes = Tensor.zeros(DType.UINT8, 1, 2);
        Tensor quantized = Tensor.of(DType.QUINT8, new byte[2], 1, 2);
        assertNotEquals(JoinedInputs.Key.of(bytes), JoinedInputs.Key.of(quantized));
        assertNotEquals(
                JoinedInputs.Key.of(quantized.withQuantization(new Quantization.PerTensor(1, 0))),
                JoinedInputs.Key.of(quantized.withQuantization(new Quantization.PerTensor(2, 0))));
    }
}
