package org.torchnnapi.operators.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

class ImageCopiesTest {
    private static final int OFFSET = 3;

    private static Tensor image(DType dtype, int[] sizes, MemoryFormat format) {
        int count = (int) Shape.numel(sizes);
        Storage storage = Storage.allocate(dtype, OFFSET + count);
        Random random = new Random(count);
        for (int i = 0; i < OFFSET + count; i++) {
            if (storage.array() instanceof float[] floats) {
                floats[i] = random.nextFloat();
            } else if (storage.array() instanceof byte[] bytes) {
                bytes[i] = (byte) random.nextInt();
            } else {
                ((long[]) storage.array())[i] = random.nextLong();
            }
        }
        return new Tensor(storage, OFFSET, sizes, Shape.strides(format, sizes), null);
    }

    private static void check(Tensor t, MemoryFormat format) {
        Tensor expected = t.contiguous(format);
        Tensor actual = ImageCopies.contiguous(t, format);
        String what = t + " to " + format;
        assertTrue(actual.isContiguous(format), what);
        assertArrayEquals(expected.sizes(), actual.sizes(), what);
        assertEquals(expected.dtype(), actual.dtype(), what);
        if (expected == t) {
            assertSame(t, actual, what);
        } else if (expected.storage().array() instanceof float[] floats) {
            assertArrayEquals(floats, actual.storage().floatArray(), what);
        } else if (expected.storage().array() instanceof byte[] bytes) {
            assertArrayEquals(bytes, actual.storage().byteArray(), what);
        } else {
            assertArrayEquals(expected.storage().longArray(), actual.storage().longArray(), what);
        }
    }

    @Test
    void equalsTheCopyOfEachElement() {
        for (DType dtype : new DType[] {DType.FLOAT32, DType.UINT8, DType.INT8, DType.INT64}) {
            for (int[] sizes : new int[][] {{2, 3, 71, 67}, {1, 17, 3, 5}, {3, 1, 4, 2}, {2, 5, 1, 1}, {1, 4, 0, 3}}) {
                for (MemoryFormat from : new MemoryFormat[] {MemoryFormat.CONTIGUOUS, MemoryFormat.CHANNELS_LAST}) {
                    Tensor t = image(dtype, sizes, from);
                    for (MemoryFormat to : new MemoryFormat[] {MemoryFormat.CONTIGUOUS, MemoryFormat.CHANNELS_LAST}) {
                        check(t, to);
                        check(t.permute(0, 2, 3, 1), to);
                        check(t.permute(0, 3, 1, 2), to);
                        check(t.permute(1, 0, 3, 2), to);
                    }
                }
            }
        }
        check(image(DType.FLOAT32, new int[] {3, 4}, MemoryFormat.CONTIGUOUS).permute(1, 0), MemoryFormat.CONTIGUOUS);
    }
}
