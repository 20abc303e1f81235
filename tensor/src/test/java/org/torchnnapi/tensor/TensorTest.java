package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TensorTest {
    private static Tensor counted(int... sizes) {
        float[] values = new float[(int) Shape.numel(sizes)];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        return Tensor.of(values, sizes);
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT32", "INT64", "UINT8", "FLOAT16"})
    void arrangedTensorsHaveTheElementsOfACopyAndTakeNoMemory(DType type) {
        byte[] bytes = new byte[2 * 30 * 40 * type.bytes()];
        new Random(7).nextBytes(bytes);
        Tensor stored = new Tensor(
                Storage.ofBytes(type, ByteBuffer.wrap(bytes)), 0, new int[] {2, 30, 40}, new int[] {1200, 40, 1}, null);
        assertSame(stored, stored.arranged());
        Tensor view = stored.permute(2, 0, 1);
        Tensor arranged = view.arranged();
        assertTrue(arranged.isContiguous());
        assertArrayEquals(view.sizes(), arranged.sizes());
        byte[] got = new byte[bytes.length];
        arranged.storage().view().get(got);
        assertEquals(0, arranged.storage().heapBytes());
        byte[] want = new byte[bytes.length];
        view.copy(MemoryFormat.CONTIGUOUS).storage().toBytes().get(want);
        assertArrayEquals(want, got);
        stored.storage().written();
        assertThrows(IllegalStateException.class, () -> arranged.storage().view());
    }

    @Test
    void permutedViewsShareMemory() {
        Tensor t = counted(2, 3);
        Tensor view = t.permute(1, 0);
        assertArrayEquals(new int[] {3, 2}, view.sizes());
        assertArrayEquals(new float[] {0, 3, 1, 4, 2, 5}, view.toFloatArray());
        t.storage().floatArray()[1] = 9;
        assertEquals(9, view.getDouble(2));
        assertThrows(IllegalArgumentException.class, () -> t.permute(0, 0));
        assertThrows(IllegalArgumentException.class, () -> t.permute(0));
    }

    @Test
    void channelsLastCopiesKeepTheLogicalOrder() {
        Tensor t = counted(2, 3, 4, 5);
        Tensor last = t.contiguous(MemoryFormat.CHANNELS_LAST);
        assertTrue(last.isContiguous(MemoryFormat.CHANNELS_LAST));
        assertArrayEquals(t.toFloatArray(), last.toFloatArray());
        assertEquals(t.getDouble(61), last.storage().floatArray()[last.position(61)]);
        assertSame(last, last.contiguous(MemoryFormat.CHANNELS_LAST));
        assertArrayEquals(t.toFloatArray(), last.contiguous().storage().floatArray());
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void copiesEveryTypeThroughAnyOrder(DType type) {
        Tensor from = Tensor.empty(type, MemoryFormat.CONTIGUOUS, 2, 3, 4);
        Object array = from.storage().array();
        for (int i = 0; i < Array.getLength(array); i++) {
            switch (array.getClass().getSimpleName()) {
                case "byte[]" -> ((byte[]) array)[i] = (byte) i;
                case "short[]" -> ((short[]) array)[i] = (short) i;
                case "int[]" -> ((int[]) array)[i] = i;
                case "long[]" -> ((long[]) array)[i] = i;
                case "float[]" -> ((float[]) array)[i] = i;
                default -> ((double[]) array)[i] = i;
            }
        }
        Tensor moved = from.permute(2, 0, 1).contiguous();
        Tensor back = moved.permute(1, 2, 0).contiguous();
        assertEquals(from.storage().toBytes(), back.storage().toBytes());
        for (int i = 0; i < from.numel(); i++) {
            assertEquals(from.getDouble(i), back.getDouble(i), "element " + i);
        }
    }

    @Test
    void copiesRunAlongTheLongestDimensionWhereRunsWouldBeShort() {
        Tensor image = counted(2, 3, 5, 40);
        Tensor last = image.contiguous(MemoryFormat.CHANNELS_LAST);
        float[] elements = last.storage().floatArray();
        for (int i = 0; i < elements.length; i++) {
            int pixel = i / 3 % 200;
            assertEquals((i / 600 * 3 + i % 3) * 200 + pixel, (int) elements[i]);
        }
        assertArrayEquals(
                image.storage().floatArray(), last.contiguous().storage().floatArray());
    }

    @Test
    void expandedViewsReadOneElementManyTimes() {
        Tensor t = Tensor.of(new float[] {7}, 1).asStrided(new int[] {3}, new int[] {0}, 0);
        assertArrayEquals(new float[] {7, 7, 7}, t.toFloatArray());
    }

    @Test
    void refusesViewsBeyondTheStorage() {
        Storage storage = Storage.allocate(DType.FLOAT32, 4);
        assertThrows(IllegalArgumentException.class, () -> new Tensor(storage, 0, new int[] {5}, new int[] {1}, null));
        assertThrows(IllegalArgumentException.class, () -> new Tensor(storage, 3, new int[] {2}, new int[] {1}, null));
        assertThrows(IllegalArgumentException.class, () -> new Tensor(storage, -1, new int[] {1}, new int[] {1}, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Tensor(storage, 0, new int[] {2}, new int[] {Integer.MAX_VALUE}, null));
        assertThrows(IllegalArgumentException.class, () -> new Tensor(storage, 0, new int[] {2}, new int[] {-1}, null));
        assertThrows(
                IllegalArgumentException.class, () -> new Tensor(storage, 0, new int[] {2, 2}, new int[] {1}, null));
        assertEquals(0, new Tensor(storage, 4, new int[] {0, 9}, new int[] {9, 1}, null).numel());
    }

    @Test
    void readsIntegersExactly() {
        Tensor t = Tensor.of(new long[] {Long.MAX_VALUE, -1}, 2);
        assertArrayEquals(new long[] {Long.MAX_VALUE, -1}, t.toLongArray());
        assertEquals(255, Tensor.of(DType.UINT8, new byte[] {-1}, 1).getLong(0));
        assertEquals(-1, Tensor.of(DType.INT8, new byte[] {-1}, 1).getLong(0));
    }

    @Test
    void describesItselfAsOrgPytorchDoes() {
        assertEquals("Tensor([2, 3], dtype=torch.float32)", counted(2, 3).toString());
    }

    @Test
    void refusesCopiesOfAnotherShapeOrType() {
        assertThrows(IllegalArgumentException.class, () -> counted(2, 3).copyFrom(counted(3, 2)));
        assertThrows(IllegalArgumentException.class, () -> counted(2).copyFrom(Tensor.of(new int[2], 2)));
    }
}
