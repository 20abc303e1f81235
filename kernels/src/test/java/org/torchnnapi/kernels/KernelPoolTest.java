package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
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
                IllegalStateException thrown = assertThrows(
                        IllegalStateException.class,
                        () -> pool.run(20, (begin, end) -> {
                            if (end > 7) {
                                throw new IllegalStateException("unit");
                            }
                        }));
                assertEquals("unit", thrown.getMessage());
            }
            pool.run(20, (begin, end) -> {});
        }
    }

    /** Callers alternate so fast that one begins where another ends: what they throw is made ahead. */
    @Test
    void aFailureReachesItsOwnCallerAlone() throws InterruptedException {
        AtomicReference<String> wrong = new AtomicReference<>();
        try (KernelPool pool = new KernelPool(2)) {
            Thread[] callers = new Thread[4];
            for (int caller = 0; caller < callers.length; caller++) {
                IllegalStateException own = caller % 2 == 0 ? new IllegalStateException("caller " + caller) : null;
                callers[caller] = new Thread(() -> {
                    AtomicInteger done = new AtomicInteger();
                    for (int round = 0; round < 300_000 && wrong.get() == null; round++) {
                        done.set(0);
                        RuntimeException thrown = null;
                        try {
                            pool.run(2, (begin, end) -> {
                                if (own != null) {
                                    throw own;
                                }
                                done.addAndGet(end - begin);
                            });
                        } catch (IllegalStateException e) {
                            thrown = e;
                        }
                        if (thrown != own || own == null && done.get() != 2) {
                            wrong.set(
                                    "round " + round + ": " + done + " units done, thrown: " + thrown + ", not " + own);
                        }
                    }
                });
                callers[caller].start();
            }
            for (Thread caller : callers) {
                caller.join();
            }
        }
        assertNull(wrong.get());
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
    void adjoiningUnitsAreDoneOnce() {
        try (KernelPool pool = new KernelPool(3)) {
            for (int round = 0; round < 500; round++) {
                int units = round % 37;
                AtomicIntegerArray done = new AtomicIntegerArray(40);
                pool.run(units, true, (begin, end) -> {
                    for (int i = begin; i < end; i++) {
                        done.incrementAndGet(i);
                    }
                });
                for (int i = 0; i < 40; i++) {
                    assertEquals(i < units ? 1 : 0, done.get(i));
                }
            }
        }
    }

    @Test
    void aThreadResumesOnlyAfterTheUnitsBefore() {
        try (KernelPool pool = new KernelPool(3)) {
            ThreadLocal<Integer> last = ThreadLocal.withInitial(() -> -1);
            for (int round = 0; round < 500; round++) {
                int units = 1 + round % 90;
                AtomicIntegerArray done = new AtomicIntegerArray(units);
                pool.run(units, true, new KernelPool.Task() {
                    @Override
                    public void run(int begin, int end) {
                        for (int i = begin; i < end; i++) {
                            done.incrementAndGet(i);
                        }
                        last.set(end);
                    }

                    @Override
                    public void resume(int begin, int end) {
                        assertEquals(last.get(), begin);
                        run(begin, end);
                    }
                });
                for (int i = 0; i < units; i++) {
                    assertEquals(1, done.get(i));
                }
            }
        }
    }

    @Test
    void aThreadWorksAgainOnlyWhereItHasWorkedLast() {
        try (KernelPool pool = new KernelPool(3)) {
            ThreadLocal<Integer> last = ThreadLocal.withInitial(() -> -1);
            AtomicIntegerArray done = new AtomicIntegerArray(40 * 50);
            KernelPool.Piece[] pieces = new KernelPool.Piece[40];
            for (int i = 0; i < pieces.length; i++) {
                int piece = i;
                pieces[i] = new KernelPool.Piece(50, i % 2 == 0, new KernelPool.Task() {
                    @Override
                    public void run(int begin, int end) {
                        last.set(piece);
                        for (int unit = begin; unit < end; unit++) {
                            done.incrementAndGet(piece * 50 + unit);
                        }
                    }

                    @Override
                    public void again(int begin, int end) {
                        assertEquals(piece, last.get());
                        run(begin, end);
                    }
                });
            }
            pool.run(pieces, piece -> {});
            for (int i = 0; i < done.length(); i++) {
                assertEquals(1, done.get(i));
            }
        }
    }

    @Test
    void aThreadDoesItsShareInFewCallsAndLeavesSomeForOthers() throws InterruptedException {
        Thread caller = Thread.currentThread();
        for (int units : new int[] {2, 4, 6, 8, 20, 38}) {
            List<Integer> ends = new ArrayList<>();
            CountDownLatch callersShare = new CountDownLatch(1);
            try (KernelPool pool = new KernelPool(2)) {
                pool.run(units, (begin, end) -> {
                    if (Thread.currentThread() != caller) {
                        // Else it could help with the caller's share.
                        assertDoesNotThrow(() -> callersShare.await());
                    } else if (end <= units / 2) {
                        ends.add(end);
                        if (end == units / 2) {
                            callersShare.countDown();
                        }
                    }
                });
            }
            List<Integer> expected = new ArrayList<>();
            for (int end = 0; end < units / 2; expected.add(end)) {
                int left = units / 2 - end;
                end += left == 1 ? 1 : left <= 4 ? left - 1 : (left + 1) / 2;
            }
            assertEquals(expected, ends);
        }
    }

    @Test
    void aSeriesKeepsItsResultsWhateverThePauses() throws InterruptedException {
        try (KernelPool pool = new KernelPool(2)) {
            AtomicIntegerArray done = new AtomicIntegerArray(1);
            for (int round = 0; round < 20; round++) {
                pool.beginSeries();
                try {
                    for (int piece = 0; piece < 50; piece++) {
                        pool.run(16, (begin, end) -> done.addAndGet(0, end - begin));
                    }
                    Thread.sleep(round % 5);
                } finally {
                    pool.endSeries();
                }
            }
            assertEquals(20 * 50 * 16, done.get(0));
        }
    }

    @Test
    void callersAtTheSameTimeEachGetTheirUnitsDone() throws InterruptedException {
        try (KernelPool pool = new KernelPool(2)) {
            AtomicIntegerArray done = new AtomicIntegerArray(4);
            Thread[] callers = new Thread[4];
            for (int c = 0; c < callers.length; c++) {
                int own = c;
                callers[c] = new Thread(() -> {
                    pool.beginSeries();
                    for (int round = 0; round < 300; round++) {
                        pool.run(9, round % 2 == 0, (begin, end) -> done.addAndGet(own, end - begin));
                    }
                    pool.endSeries();
                });
                callers[c].start();
            }
            for (Thread caller : callers) {
                caller.join();
            }
            for (int c = 0; c < callers.length; c++) {
                assertEquals(300 * 9, done.get(c));
            }
        }
    }

    /** A series of pieces, each of which finds all that the ones before did; some are single units. */
    private static int[] seriesOf(KernelPool pool, int[] units, Thread caller) {
        AtomicIntegerArray done = new AtomicIntegerArray(units.length);
        KernelPool.Piece[] pieces = new KernelPool.Piece[units.length];
        for (int i = 0; i < units.length; i++) {
            int piece = i;
            pieces[i] = new KernelPool.Piece(units[i], i % 3 == 0, (begin, end) -> {
                for (int before = 0; before < piece; before++) {
                    assertEquals(units[before], done.get(before));
                }
                done.addAndGet(piece, end - begin);
            });
        }
        AtomicInteger next = new AtomicInteger();
        pool.run(pieces, piece -> {
            assertEquals(caller, Thread.currentThread());
            assertEquals(next.getAndIncrement(), piece);
        });
        assertEquals(units.length, next.get());
        int[] counts = new int[units.length];
        Arrays.setAll(counts, done::get);
        return counts;
    }

    @Test
    void aPieceBeginsWhenTheOneBeforeIsDone() {
        for (int threads : new int[] {1, 2, 3, 9}) {
            try (KernelPool pool = new KernelPool(threads)) {
                for (int round = 0; round < 100; round++) {
                    int[] units = new int[round];
                    int shift = round;
                    Arrays.setAll(units, i -> 1 + (i + shift) % 5 * ((i / 7 + shift) % 3));
                    assertArrayEquals(units, seriesOf(pool, units, Thread.currentThread()));
                }
            }
        }
    }

    @Test
    void aPieceThatThrowsEndsItsSeries() {
        try (KernelPool pool = new KernelPool(3)) {
            for (int failing = 0; failing < 20; failing++) {
                int at = failing;
                AtomicIntegerArray begun = new AtomicIntegerArray(20);
                KernelPool.Piece[] pieces = new KernelPool.Piece[20];
                for (int i = 0; i < pieces.length; i++) {
                    int piece = i;
                    pieces[i] = new KernelPool.Piece(i % 4 == 0 ? 1 : 10, false, (begin, end) -> {
                        begun.set(piece, 1);
                        if (piece == at && begin == 0) {
                            throw new IllegalStateException("piece " + piece);
                        }
                    });
                }
                IllegalStateException thrown =
                        assertThrows(IllegalStateException.class, () -> pool.run(pieces, piece -> {}));
                assertEquals("piece " + at, thrown.getMessage());
                for (int i = 0; i < pieces.length; i++) {
                    assertEquals(i <= at ? 1 : 0, begun.get(i));
                }
                assertArrayEquals(new int[] {4, 1, 6}, seriesOf(pool, new int[] {4, 1, 6}, Thread.currentThread()));
            }
        }
    }

    @Test
    void whatIsThrownBeforeAPieceEndsItsSeries() {
        for (int threads = 1; threads <= 3; threads++) {
            try (KernelPool pool = new KernelPool(threads)) {
                AtomicIntegerArray done = new AtomicIntegerArray(10);
                KernelPool.Piece[] pieces = new KernelPool.Piece[10];
                for (int i = 0; i < pieces.length; i++) {
                    int piece = i;
                    pieces[i] = new KernelPool.Piece(8, false, (begin, end) -> done.addAndGet(piece, end - begin));
                }
                assertThrows(
                        IllegalStateException.class,
                        () -> pool.run(pieces, piece -> {
                            if (piece == 5) {
                                throw new IllegalStateException();
                            }
                        }));
                for (int i = 0; i < 5; i++) {
                    assertEquals(8, done.get(i));
                }
                assertArrayEquals(new int[] {4, 1, 6}, seriesOf(pool, new int[] {4, 1, 6}, Thread.currentThread()));
            }
        }
    }

    @Test
    void piecesHaveUnits() {
        assertThrows(IllegalArgumentException.class, () -> new KernelPool.Piece(0, false, (begin, end) -> {}));
    }

    @Test
    void anIdlePoolSleeps() throws InterruptedException {
        try (KernelPool pool = new KernelPool(2)) {
            AtomicReference<Thread> worker = new AtomicReference<>();
            Thread caller = Thread.currentThread();
            while (worker.get() == null) {
                pool.run(64, (begin, end) -> {
                    if (Thread.currentThread() != caller) {
                        worker.set(Thread.currentThread());
                    }
                });
            }
            while (worker.get().getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
            pool.close();
            worker.get().join();
            AtomicIntegerArray done = new AtomicIntegerArray(1);
            pool.run(5, (begin, end) -> done.addAndGet(0, end - begin));
            assertEquals(5, done.get(0));
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
