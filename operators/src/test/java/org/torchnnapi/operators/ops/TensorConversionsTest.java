package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Conversions of type. Expected values are genuine PyTorch's. */
class TensorConversionsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);

    @Test
    void convertsTypes() {
        expect(tensor("to.dtype", X, 4L, false, false, null), DType.INT64, sizes(2, 3), -2, -1, 0, 0, 1, 3);
        expect(tensor("to.dtype", X, 6L, false, true, null), sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
        expect(tensor("to.dtype", X, 11L, false, false, null), DType.BOOL, sizes(2, 3), 1, 1, 0, 1, 1, 1);
        expect(
                tensor("to.dtype", Tensor.of(new long[] {300, -1}, 2), 0L, false, false, null),
                DType.UINT8,
                sizes(2),
                44,
                255);
        expect(
                tensor("to.dtype", floats(sizes(2), 0.333333343, 70000), 5L, false, false, null),
                DType.FLOAT16,
                sizes(2),
                0.333251953,
                Double.POSITIVE_INFINITY);
        expect(tensor("type_as", I, X), sizes(2, 3), -7, 2, 3, 4, -5, 6);
        assertEquals(2.5, Op.call("item", floats(sizes(), 2.5)));
    }

    @Test
    void copiesConvertAndBroadcastIntoViews() {
        Tensor base = floats(sizes(2, 3), 0, 0, 0, 0, 0, 0);
        tensor("copy_", tensor("t", base), Tensor.of(new long[] {1, 2}, 2), false);
        expect(base, sizes(2, 3), 1, 1, 1, 2, 2, 2);
        assertThrows(IllegalArgumentException.class, () -> Op.call("item", X));
        expect(tensor("dropout", base, 0.0, true), sizes(2, 3), 1, 1, 1, 2, 2, 2);
    }

    @Test
    void numbersBeyondAWholeTypeBecomeItsLeast() {
        Tensor t = Tensor.of(new float[] {1e20f, -1e20f, Float.NaN, 3e9f, 300.7f, -3.5f}, 6);
        long least = Long.MIN_VALUE;
        org.junit.jupiter.api.Assertions.assertArrayEquals(
                new long[] {least, least, least, 3_000_000_000L, 300, -3},
                Elements.cast(t, DType.INT64).storage().longArray());
        int low = Integer.MIN_VALUE;
        org.junit.jupiter.api.Assertions.assertArrayEquals(
                new int[] {low, low, low, low, 300, -3},
                Elements.cast(t, DType.INT32).storage().intArray());
        org.junit.jupiter.api.Assertions.assertArrayEquals(
                new byte[] {0, 0, 0, 0, 44, -3},
                Elements.cast(t, DType.UINT8).storage().byteArray());
    }
}
