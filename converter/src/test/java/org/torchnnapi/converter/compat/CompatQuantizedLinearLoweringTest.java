package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

class CompatQuantizedLinearLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();
    private final CustomObject packed = GraphUnderTest.packed(
            "LinearPackedParamsBase",
            ScriptTuple.of(
                    Tensor.of(DType.QINT8, new byte[] {-1, 2}, 1, 2)
                            .withQuantization(new Quantization.PerTensor(0.5, 0)),
                    Tensor.of(new float[] {1}, 1)));

    @Test
    void weightsAndBias() {
        LoweredModel model =
                g.model(g.op("quantized::linear", g.input(InputSpec.quantized(0.25, 4, 3, 2)), packed, 0.5, 7));
        assertEquals(
                "FULLY_CONNECTED[quint8[3, 2]*0.25@4, quint8[1, 2]*0.5@128, int32[1]*0.125@0, 0] -> quint8[3, 1]*0.5@7",
                GraphUnderTest.text(model).get(0));
        assertArrayEquals(new long[] {127, 130}, model.model().weights().get(1).toLongArray());
        assertArrayEquals(new long[] {8}, model.model().weights().get(0).toLongArray());
    }

    @Test
    void refusesForeignParametersAndRanks() {
        CustomObject foreign = GraphUnderTest.packed("EmbeddingPackedParamsBase", ScriptTuple.of());
        g.isRefused(
                g.op("quantized::linear", g.input(InputSpec.quantized(0.25, 4, 3, 2)), foreign, 0.5, 7),
                "LinearPackedParamsBase");
        GraphUnderTest rank = new GraphUnderTest();
        rank.isRefused(
                rank.op("quantized::linear", rank.input(InputSpec.quantized(0.25, 4, 3, 1, 2)), packed, 0.5, 7),
                "matrix");
    }
}
