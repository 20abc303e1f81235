package org.torchnnapi.tensor.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
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

    /** What a call that was given up still fills is no reason to refuse the next one. */
    @Test
    void memoryThatNobodyWantsAnyMoreIsWaitedFor() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        Thread given = new Thread(() -> assertThrows(
                CancellationException.class,
                () -> Buffers.direct(MUCH, bytes -> {
                    begun.countDown();
                    while (end.getCount() > 0) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    ended.set(true);
                    return ByteBuffer.allocate(0);
                })));
        given.start();
        begun.await();
        given.interrupt();
        given.join();
        new Thread(end::countDown).start();
        ByteBuffer next = Buffers.direct(5, bytes -> {
            if (!ended.get()) {
                throw new OutOfMemoryError("of the test");
            }
            return ByteBuffer.allocateDirect(bytes);
        });
        assertEquals(5, next.capacity());
        assertThrows(
                OutOfMemoryError.class,
                () -> Buffers.direct(5, bytes -> {
                    throw new OutOfMemoryError("of the test");
                }));
    }
}
