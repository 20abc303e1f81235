package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class TensorFactoriesTest {
    @Test
    void fillsByTypeOfTheNumber() {
        expect(tensor("zeros", ints(2)), sizes(2), 0, 0);
        expect(tensor("ones", ints(1, 2), 4L), sizes(1, 2), 1, 1);
        assertEquals(DType.INT64, tensor("full", ints(1), 7L).dtype());
        assertEquals(DType.FLOAT32, tensor("full", ints(1), 7.0).dtype());
        assertEquals(DType.BOOL, tensor("full", ints(1), true).dtype());
        expect(tensor("eye.m", 2L, 3L), sizes(2, 3), 1, 0, 0, 0, 1, 0);
    }

    @Test
    void likeKeepsTypeOrderAndQuantization() {
        Tensor nhwc = Tensor.empty(DType.INT32, MemoryFormat.CHANNELS_LAST, 1, 2, 2, 2);
        assertTrue(tensor("ones_like", nhwc).isContiguous(MemoryFormat.CHANNELS_LAST));
        assertEquals(DType.INT32, tensor("ones_like", nhwc).dtype());
        assertTrue(tensor("zeros_like", nhwc, null, null, null, null, 0L).isContiguous());
        Quantization q = new Quantization.PerTensor(0.5, 3);
        assertEquals(
                q,
                tensor("empty_like", Tensor.zeros(DType.QUINT8, 2).withQuantization(q))
                        .quantization());
    }

    @Test
    void fillWritesInPlace() {
        Tensor base = Tensor.zeros(DType.FLOAT32, 4);
        tensor("fill_.Scalar", base.asStrided(new int[] {2}, new int[] {2}, 1), 3L);
        expect(base, sizes(4), 0, 3, 0, 3);
    }

    @Test
    void fillsANewTensor() {
        Tensor base = Tensor.of(new int[] {4, 5}, 2);
        expect(tensor("zero", base), sizes(2), 0, 0);
        Tensor filled = tensor("fill.Tensor", base, Tensor.of(new float[] {7}));
        expect(filled, sizes(2), 7, 7);
        assertEquals(DType.INT32, filled.dtype());
        expect(base, sizes(2), 4, 5);
    }

    @Test
    void absurdSizesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> tensor("zeros", ints(-1)));
        assertThrows(IllegalArgumentException.class, () -> tensor("zeros", ints(1L << 40)));
        assertThrows(IllegalArgumentException.class, () -> tensor("zeros", ints(1L << 30, 1L << 30, 1L << 30)));
    }
}
