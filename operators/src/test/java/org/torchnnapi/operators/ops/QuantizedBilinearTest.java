package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class QuantizedBilinearTest {
    @Test
    void weighsTheIntegersAndKeepsTheScale() {
        Quantization q = new Quantization.PerTensor(0.1, 7);
        Tensor t =
                Tensor.of(DType.QUINT8, new byte[] {0, 10, 20, 30}, 1, 1, 2, 2).withQuantization(q);
        Tensor out = tensor("upsample_bilinear2d", t, ints(3, 3), true, null, null);
        assertEquals(q, out.quantization());
        assertArrayEquals(new long[] {0, 5, 10, 10, 15, 20, 20, 25, 30}, out.toLongArray());
    }
}
