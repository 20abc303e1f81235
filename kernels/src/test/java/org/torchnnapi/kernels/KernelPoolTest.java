package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class KernelPoolTest {
    @Test
    void everyUnitIsDoneOnce() throws InterruptedException {
        try (KernelPool pool = new KernelPool(3)) {
            for (int round = 0; round < 500; round++) {
                int units = round % 37;
                AtomicIntegerArray done = new AtomicIntegerArray(40);
                pool.run(units, (begin, end) -> {
                    for (int i = begin; i < end; i++) {
                        done.incrementAndGet(i);
                    }
                });
                for (int i = 0; i < 40; i++) {
                    assertEquals(i < units ? 1 : 0, done.get(i));
                }
                if (round % 100 == 0) {
                    Thread.sleep(5);
                }
            }
        }
    }

    @Test
    void whatAUnitThrowsComesOutAndThePoolGoesOn() {
        try (KernelPool pool = new KernelPool(2)) {
            for (int i = 0; i < 50; i++) {
                IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> pool.run(20, (begin, end) -> {
                    if (end > 7) {
                        throw new IllegalStateException("unit");
                    }
                }));
                assertEquals("unit", thrown.getMessage());
            }
            pool.run(20, (begin, end) -> { });
        }
    }

    @Test
    void nestedWorkRunsOnTheCallersThread() {
        try (KernelPool pool = new KernelPool(2)) {
            AtomicIntegerArray done = new AtomicIntegerArray(1);
            pool.run(8, (begin, end) -> pool.run(end - begin, (b, e) -> done.addAndGet(0, e - b)));
            assertEquals(8, done.get(0));
        }
    }

    @Test
    void threadsCanChange() {
        try (KernelPool pool = new KernelPool(1)) {
            pool.setNumThreads(4);
            assertEquals(4, pool.numThreads());
            pool.setNumThreads(2);
            assertEquals(2, pool.numThreads());
            assertThrows(IllegalArgumentException.class, () -> pool.setNumThreads(0));
            assertThrows(IllegalStateException.class, () -> pool.run(2, (begin, end) -> pool.setNumThreads(1)));
        }
    }
}
