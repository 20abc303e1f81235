package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
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
    void realNumbersAreQuantizedAsWhatTheyAreWrittenInto() {
        Tensor bytes = bytes(0.5, 10, 10, 10, 10, 10);
        tensor("copy_", bytes, floats(sizes(2, 2), -1, 2, 30, 0.26), false);
        requireBytes(bytes, 0.5, 10, 8, 14, 70, 11);
        tensor("index_put_", bytes, Op.list(Tensor.of(new long[] {0}, 1)), floats(sizes(1, 2), 4, 6), false);
        requireBytes(bytes, 0.5, 10, 18, 22, 70, 11);
    }

    /** The tensor takes their scale, and none that shares its memory does. */
    @Test
    void quantizedNumbersAreWrittenAsTheyAre() {
        Tensor bytes = bytes(0.5, 10, 10, 10, 10, 10);
        Tensor other = bytes(0.25, 3, 0, 11, 123, 19);
        Tensor row = tensor("select.int", bytes, 0L, 0L);
        tensor("copy_", row, tensor("select.int", other, 0L, 1L), false);
        assertEquals(other.quantization(), row.quantization());
        requireBytes(bytes, 0.5, 10, 123, 19, 10, 10);
        tensor("copy_", bytes, other, false);
        requireBytes(bytes, 0.25, 3, 0, 11, 123, 19);
    }

    @Test
    void copiesThatPyTorchRefusesAreRefused() {
        Tensor bytes = bytes(0.5, 10, 10, 10, 10, 10);
        for (Tensor wrong : new Tensor[] {
            floats(sizes(2), 1, 2),
            Tensor.of(new long[] {1, 2, 3, 4}, 2, 2),
            Tensor.of(DType.QINT8, new byte[4], 2, 2).withQuantization(new Quantization.PerTensor(0.5, 10)),
        }) {
            assertThrows(IllegalArgumentException.class, () -> tensor("copy_", bytes, wrong, false));
        }
        assertThrows(
                IllegalArgumentException.class, () -> tensor("copy_", floats(sizes(2, 2), 1, 2, 3, 4), bytes, false));
    }

    private static Tensor bytes(double scale, int zeroPoint, int... numbers) {
        byte[] elements = new byte[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            elements[i] = (byte) numbers[i];
        }
        return Tensor.of(DType.QUINT8, elements, 2, 2).withQuantization(new Quantization.PerTensor(scale, zeroPoint));
    }

    private static void requireBytes(Tensor t, double scale, int zeroPoint, int... numbers) {
        assertEquals(new Quantization.PerTensor(scale, zeroPoint), t.quantization());
        assertArrayEquals(
                bytes(scale, zeroPoint, numbers).storage().byteArray(),
                t.contiguous().storage().byteArray());
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
