package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryLimitTest {
    @ParameterizedTest
    @CsvSource({"1, 1", "4096, 4096", "3k, 3072", "512m, 536870912", "2G, 2147483648", "' 7 ', 7"})
    void bytesAreSaidInUnits(String text, long bytes) {
        assertEquals(bytes, MemoryLimit.parse(text));
    }

    @Test
    void sharesAreThoseOfTheHeap() {
        long heap = Runtime.getRuntime().maxMemory();
        assertTrue(Math.abs(heap / 2 - MemoryLimit.parse("50%")) < 100);
        assertTrue(Math.abs(heap - MemoryLimit.parse("100%")) < 100);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "-1",
                "101%",
                "0%",
                "1.5g",
                "5t",
                "m",
                "much",
                "999999999999999999g",
                "99999999999999999999"
            })
    void whatIsNoLimitIsRefused(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> MemoryLimit.parse(text));
        assertEquals(
                "torchnnapi.memory.limit: " + text
                        + " (expected: bytes, such as 512m or 2g, or a share of the heap from 1% to 100%)",
                e.getMessage());
    }

    @Test
    void whatIsOverTheLimitIsNotMade() {
        long before = MemoryLimit.bytes();
        MemoryLimit.set(400);
        try {
            assertEquals(100, Storage.allocate(DType.FLOAT32, 100).length());
            MemoryException e = assertThrows(MemoryException.class, () -> Storage.allocate(DType.FLOAT32, 101));
            assertTrue(
                    e.getMessage()
                            .startsWith("tensor of 101 elements of float32: 404 bytes (expected: at most 400 for one "
                                    + "thing, of a heap of "),
                    e.getMessage());
            assertNull(e.getCause());
            assertThrows(MemoryException.class, () -> Storage.allocate(DType.COMPLEX128, 26));
            // As wide as what lies in a file becomes once it is an array.
            Storage lying = Storage.ofBytes(DType.FLOAT64, ByteBuffer.allocate(51 * Double.BYTES));
            assertThrows(MemoryException.class, lying::doubleArray);
            assertThrows(IllegalArgumentException.class, () -> MemoryLimit.set(0));
            assertEquals(400, MemoryLimit.bytes());
        } finally {
            MemoryLimit.set(before);
        }
    }
}
