package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LruCacheTest {
    @Test
    void whatWasUsedLastIsNotMadeAgain() {
        LruCache<Integer, String> values = new LruCache<>(32);
        AtomicInteger made = new AtomicInteger();
        for (int round = 0; round < 5; round++) {
            for (int key = 0; key < 32; key++) {
                int number = key;
                assertEquals("v" + key, values.get(key, any -> true, () -> {
                    made.incrementAndGet();
                    return "v" + number;
                }));
            }
        }
        assertEquals(32, made.get());
        values.get(32, any -> true, () -> "another");
        assertNull(values.find(0, any -> true), "the one used longest ago");
        assertEquals("v1", values.find(1, any -> true));
    }

    @Test
    void othersAreFoundAndMadeWhileOneIsMade() throws Exception {
        LruCache<String, String> values = new LruCache<>(4);
        values.put("known", "k");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread slow = new Thread(() -> values.get("slow", any -> true, () -> {
            begun.countDown();
            await(end);
            return "s";
        }));
        slow.start();
        await(begun);
        assertEquals("k", values.find("known", any -> true));
        assertEquals("o", values.get("other", any -> true, () -> "o"));
        assertNull(values.find("slow", any -> true));
        end.countDown();
        assertEquals("s", values.get("slow", any -> true, () -> "made twice"));
        slow.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("waited in vain");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatFailedOrIsOutOfDateIsMadeAnew() {
        LruCache<String, Integer> values = new LruCache<>(4);
        assertThrows(
                IllegalArgumentException.class,
                () -> values.get("a", any -> true, () -> {
                    throw new IllegalArgumentException("no");
                }));
        assertEquals(1, values.get("a", any -> true, () -> 1));
        assertEquals(2, values.get("a", value -> value > 1, () -> 2));
        assertEquals(2, values.get("a", value -> value > 1, () -> 3));
    }
}
