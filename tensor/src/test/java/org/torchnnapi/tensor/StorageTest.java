package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StorageTest {
    @ParameterizedTest
    @EnumSource(DType.class)
    void bytesSurviveTheRoundTrip(DType type) {
        byte[] bytes = new byte[6 * type.bytes()];
        for (int i = 0; i < bytes.length; i++) {
            // Positive numbers, so that no float is a NaN whose bits a copy might change.
            bytes[i] = (byte) (i % 50 + 1);
        }
        Storage storage = Storage.ofBytes(type, ByteBuffer.wrap(bytes));
        assertEquals(6, storage.length());
        assertArrayEquals(bytes, array(storage.toBytes()), "before an array is made");
        assertArrayEquals(bytes, array(storage.view()), "before an array is made");
        assertEquals(0, storage.heapBytes());
        storage.array();
        assertArrayEquals(bytes, array(storage.toBytes()), "after an array is made");
        assertArrayEquals(bytes, array(storage.view()), "after an array is made");
        assertEquals(bytes.length, storage.heapBytes());
    }

    @Test
    void someElementsAreReadWithoutTheOthers() {
        Tensor table = Tensor.of(new float[] {0, 1, 2, 3, 4, 5}, 2, 3);
        byte[] expected = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(4)
                .putFloat(1)
                .array();
        assertArrayEquals(expected, table.storage().bytesOf(4, 1));
        assertArrayEquals(
                expected,
                Storage.ofBytes(DType.FLOAT32, table.storage().toBytes()).bytesOf(4, 1));
        Storage turned = Storage.reordered(table.storage(), 6, table.permute(1, 0)::place, () -> {
            throw new AssertionError("all elements are made");
        });
        assertArrayEquals(expected, turned.bytesOf(3, 2));
        Storage computed = Storage.deferred(DType.FLOAT32, 6, table.storage(), table.storage()::toBytes);
        assertArrayEquals(expected, computed.bytesOf(4, 1));
        Storage complex = Storage.of(DType.COMPLEX64, new float[] {9, 9, 4, 1});
        assertArrayEquals(expected, complex.bytesOf(1));
    }

    @Test
    void elementsMadeOfOneEachAreMadeAlone() {
        float[] given = new float[10_000];
        float[] expected = new float[9_000];
        for (int i = 0; i < given.length; i++) {
            given[i] = i;
        }
        for (int i = 0; i < expected.length; i++) {
            expected[i] = 2 * given[i + 3] + i;
        }
        int[] made = {0};
        Storage scaled = Storage.elementwise(
                Storage.ofBytes(DType.FLOAT32, Storage.of(DType.FLOAT32, given).toBytes()),
                3,
                9_000,
                (value, element) -> {
                    made[0]++;
                    return 2 * value + element;
                });
        assertArrayEquals(
                ByteBuffer.allocate(8)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putFloat(expected[8_996])
                        .putFloat(expected[0])
                        .array(),
                scaled.bytesOf(8_996, 0));
        assertEquals(2, made[0]);
        assertArrayEquals(
                expected, Storage.ofBytes(DType.FLOAT32, scaled.view()).floatArray());
        assertArrayEquals(expected, scaled.floatArray());
        Storage few = Storage.allocate(DType.FLOAT32, 4);
        assertTrue(assertThrows(
                        IllegalArgumentException.class, () -> Storage.elementwise(few, 3, 2, (value, element) -> value))
                .getMessage()
                .contains("4 elements of float32 (expected: float32, 2 from element 3 on)"));
        assertThrows(
                IllegalArgumentException.class,
                () -> Storage.elementwise(Storage.allocate(DType.FLOAT64, 4), 0, 2, (value, element) -> value));
    }

    @Test
    void bytesAreLittleEndianWhateverTheBufferSays() {
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 0, 0, 0, 2, 0, 0, 0}).order(ByteOrder.BIG_ENDIAN);
        assertArrayEquals(new int[] {1, 2}, Storage.ofBytes(DType.INT32, bytes).intArray());
    }

    @Test
    void viewsAreOfTheFileAndKeepWhatTheyShow() {
        ByteBuffer file =
                ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 5);
        Storage storage = Storage.ofBytes(DType.INT32, file);
        ByteBuffer view = storage.view();
        assertTrue(view.isDirect() && view.isReadOnly());
        storage.intArray()[0] = 6;
        assertEquals(5, view.getInt(0));
        assertEquals(6, storage.view().getInt(0));
    }

    @Test
    void deferredElementsAreMadeAnewUntilAnArrayIsMade() {
        int[] made = {0};
        Storage storage = Storage.deferred(
                DType.INT32,
                2,
                Storage.allocate(DType.INT32, 2),
                () -> ByteBuffer.wrap(new byte[] {1, 0, 0, 0, (byte) ++made[0], 0, 0, 0}));
        assertTrue(storage.hasData());
        assertEquals(1, storage.view().getInt(4));
        assertEquals(2, storage.toBytes().getInt(4));
        assertEquals(0, storage.heapBytes());
        assertArrayEquals(new int[] {1, 3}, storage.intArray());
        assertEquals(3, storage.view().getInt(4));
        assertEquals(8, storage.heapBytes());
        Storage wrong =
                Storage.deferred(DType.INT32, 2, Storage.allocate(DType.INT32, 2), () -> ByteBuffer.allocate(4));
        assertTrue(assertThrows(IllegalStateException.class, wrong::toBytes)
                .getMessage()
                .contains("4 bytes (expected: 2 elements"));
    }

    @Test
    void theFilesBytesStandForWhatIsMadeOfThem() {
        Storage file = Storage.ofBytes(DType.INT32, ByteBuffer.wrap(new byte[16]));
        assertEquals(16, file.fileBytes().remaining());
        Storage made = Storage.deferred(DType.INT32, 3, file, () -> {
            throw new AssertionError("elements were asked for");
        });
        assertEquals(12, made.fileBytes().remaining());
        assertNull(Storage.deferred(DType.INT32, 5, file, () -> null).fileBytes());
        file.intArray();
        assertNull(file.fileBytes());
        assertNull(made.fileBytes());
        assertNull(Storage.allocate(DType.INT32, 4).fileBytes());
    }

    @Test
    void wrapsArraysOfTheRightType() {
        float[] values = {1, 2, 3, 4};
        assertSame(values, Storage.of(DType.FLOAT32, values).floatArray());
        assertEquals(2, Storage.of(DType.COMPLEX64, values).length());
        assertThrows(IllegalArgumentException.class, () -> Storage.of(DType.INT64, values));
    }

    @Test
    void refusesAbsurdSizes() {
        assertThrows(IllegalArgumentException.class, () -> Storage.allocate(DType.FLOAT32, 1L << 40));
        assertThrows(IllegalArgumentException.class, () -> Storage.allocate(DType.FLOAT32, -1));
        assertThrows(IllegalArgumentException.class, () -> Storage.ofBytes(DType.INT32, ByteBuffer.allocate(7)));
    }

    @Test
    void whatTheHeapHasNoRoomForIsRefusedWithItsSize() {
        long limit = MemoryLimit.bytes();
        MemoryLimit.set(Long.MAX_VALUE);
        MemoryException e;
        try {
            e = assertThrows(MemoryException.class, () -> Storage.allocate(DType.FLOAT64, Integer.MAX_VALUE - 8));
        } finally {
            MemoryLimit.set(limit);
        }
        assertTrue(
                e.getMessage()
                        .startsWith(
                                "tensor of 2147483639 elements of float64: 17179869112 bytes (expected: at most what "
                                        + "the heap has left, "),
                e.getMessage());
        assertTrue(e.getCause() instanceof OutOfMemoryError);
    }

    @Test
    void writesToWatchedStorageAreCounted() {
        Storage watched = Storage.allocate(DType.FLOAT32, 2);
        Storage other = Storage.allocate(DType.FLOAT32, 2);
        watched.watch();
        long before = Storage.watchedWrites();
        other.written();
        assertEquals(before, Storage.watchedWrites());
        assertEquals(1, other.writes());
        watched.written();
        assertEquals(before + 1, Storage.watchedWrites());
        assertEquals(1, watched.writes());
    }

    @Test
    void storageWithoutDataHasAGeometryOnly() {
        Storage storage = Storage.withoutData(DType.FLOAT32, 12);
        assertFalse(storage.hasData());
        Tensor view = new Tensor(storage, 0, new int[] {3, 4}, new int[] {4, 1}, null).permute(1, 0);
        assertArrayEquals(new int[] {4, 3}, view.sizes());
        assertSame(storage, view.storage());
        assertThrows(NoDataException.class, storage::array);
        assertThrows(NoDataException.class, storage::toBytes);
        assertThrows(NoDataException.class, () -> view.getDouble(0));
        assertTrue(Storage.allocate(DType.INT8, 1).hasData());
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
