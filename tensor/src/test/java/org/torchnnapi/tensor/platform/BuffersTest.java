package org.torchnnapi.tensor.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class BuffersTest {
    private static final int MUCH = (1 << 26) + 1;

    @Test
    void memoryIsZeroAndOutsideTheHeap() {
        for (int size : new int[] {0, 5, MUCH}) {
            ByteBuffer memory = Buffers.direct(size);
            assertTrue(memory.isDirect());
            assertEquals(size, memory.capacity());
            assertTrue(size == 0 || memory.get(size - 1) == 0);
        }
    }

    @Test
    void aThreadThatIsInterruptedDoesNotWaitForMuch() {
        Thread.currentThread().interrupt();
        try {
            assertEquals(5, Buffers.direct(5).capacity());
            assertThrows(CancellationException.class, () -> Buffers.direct(MUCH));
            assertTrue(Thread.currentThread().isInterrupted());
        } finally {
            Thread.interrupted();
        }
    }
}
