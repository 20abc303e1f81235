package org.torchnnapi.kernels;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that share the units of a piece of work. A waiting thread spins briefly, so that layers that follow each other in
 * microseconds find it awake, then sleeps: an idle pool costs nothing. The caller is one of the threads and never waits for one that
 * has not woken yet. Kernels' results do not depend on the number of threads.
 *
 * <p>Each thread has a share of adjacent units, the same from one piece of work to the next, so that what it wrote is in its own core's
 * cache; who is done helps the others with theirs, since cores are not equally fast: other work, or another machine on the same processor,
 * takes a part of some.
 *
 * <p>One piece of work runs at a time; a second caller meanwhile does all its units itself. {@link #close} ends the threads; the pool
 * still works then, on the caller's thread.
 */
public final class KernelPool implements AutoCloseable {
    /** Turns of a waiting loop between looks at the clock. */
    private static final int TURNS = 16;
    /** Threads may share a core: from then on a waiting thread lets others have it. Pure spinning cost them up to 120 ms. */
    private static final long YIELD_NANOS = 100_000;
    /** Waking a thread costs its waker several microseconds and lasts tens of them. */
    private static final long IDLE_NANOS = 100_000;
    /** Longer than what a caller commonly does alone between two pieces of a series. */
    private static final long SERIES_NANOS = 1_000_000;
    private static final int CLOSED = 1 << 30;
    /** A thread takes this part of what is left of a share at once: few calls, and little left when somebody comes to help. */
    private static final int PARTS = 4;
    /** Fewer adjoining units than this are not divided: a helper would first do again what lies before them, and short pieces take longer. */
    private static final int LEAST_DIVIDED = 8;
    /** Ints or longs between two that different threads write: adjacent cache lines are fetched in pairs. */
    private static final int APART = 32;
    private static final int EPOCH = APART;
    private static final int GATE = 2 * APART;

    /** Work on units [begin, end); called by several threads at once with disjoint ranges. */
    @FunctionalInterface
    public interface Task {
        void run(int begin, int end);

        /** As {@link #run}, by the thread that did the units before {@code begin} last: what it keeps of them may be used. */
        default void resume(int begin, int end) {
            run(begin, end);
        }
    }

    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicInteger series = new AtomicInteger();
    /**
     * At {@link #EPOCH} the number of the current work; at {@link #GATE} how many workers are inside it, plus {@link #CLOSED} when no more
     * may enter.
     */
    private final AtomicIntegerArray state = new AtomicIntegerArray(3 * APART);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile Worker[] workers = {};
    /** In a share that its own thread has begun. */
    private static final long BEGUN = Long.MIN_VALUE;
    /** What is left of each thread's share: the first unit in the upper half, the end in the lower one; and {@link #BEGUN}. */
    private AtomicLongArray shares;
    private int threads;
    private Task task;
    private boolean adjoining;

    private static final class Shared {
        private static final KernelPool POOL = new KernelPool(Runtime.getRuntime().availableProcessors());
    }

    /** The pool that everything in this process shares unless it brings its own; at first a thread for each processor. */
    public static KernelPool shared() {
        return Shared.POOL;
    }

    /** A pool of that many threads, the caller's among them. */
    public KernelPool(int threads) {
        state.set(GATE, CLOSED);
        setNumThreads(threads);
    }

    public int numThreads() {
        return workers.length + 1;
    }

    /**
     * Changes the number of threads, the caller's among them. Not while work runs.
     *
     * @throws IllegalStateException if work is running
     */
    public void setNumThreads(int threads) {
        Check.atLeast("threads", threads, 1);
        if (!busy.compareAndSet(false, true)) {
            throw new IllegalStateException("threads: " + threads + " (expected: no work running while they change)");
        }
        try {
            for (Worker worker : workers) {
                worker.end();
            }
            shares = new AtomicLongArray(Math.multiplyExact(threads + 1, APART));
            this.threads = threads;
            Worker[] started = new Worker[threads - 1];
            for (int i = 0; i < started.length; i++) {
                started[i] = new Worker(i + 1, state.get(EPOCH));
                started[i].start();
            }
            workers = started;
        } finally {
            busy.set(false);
        }
    }

    /** Wakes the threads and keeps them awake between pieces of work that follow each other closely, until {@link #endSeries}. */
    public void beginSeries() {
        series.getAndIncrement();
        for (Worker worker : workers) {
            worker.wake();
        }
    }

    /** Ends what {@link #beginSeries} began. */
    public void endSeries() {
        series.getAndDecrement();
    }

    /** Does all units and returns when they are done. What a unit throws is thrown here, once all threads have stopped. */
    public void run(int units, Task task) {
        run(units, false, task);
    }

    /**
     * Does all units as {@link #run(int, Task)}.
     *
     * @param adjoining whether units that one thread does one after the other take less than by several: then fewer are given away
     */
    public void run(int units, boolean adjoining, Task task) {
        if (units <= 0) {
            return;
        }
        if (units == 1 || workers.length == 0 || !busy.compareAndSet(false, true)) {
            task.run(0, units);
            return;
        }
        try {
            this.task = task;
            this.adjoining = adjoining;
            for (int i = 0; i < threads; i++) {
                shares.setPlain((i + 1) * APART, range((int) ((long) units * i / threads), (int) ((long) units * (i + 1) / threads)));
            }
            state.set(GATE, 0);
            state.getAndIncrement(EPOCH);
            for (Worker worker : workers) {
                worker.wake();
            }
            takeUnits(0);
            state.getAndAdd(GATE, CLOSED);
            for (int turns = 1; state.get(GATE) != CLOSED; turns++) {
                if (turns < TURNS * TURNS) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        } finally {
            this.task = null;
            busy.set(false);
        }
        Throwable thrown = failure.get() == null ? null : failure.getAndSet(null);
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown != null) {
            throw (RuntimeException) thrown;
        }
    }

    /** Ends the threads. */
    @Override
    public void close() {
        setNumThreads(1);
    }

    private static long range(int begin, int end) {
        return (long) begin << Integer.SIZE | end;
    }

    /** Does the units of a thread's own share, then what is left of the others'. */
    private void takeUnits(int own) {
        try {
            for (int i = 0; i < threads; i++) {
                takeShare((own + i) % threads, i > 0);
            }
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            for (int i = 0; i < threads; i++) {
                shares.set((i + 1) * APART, 0);
            }
        }
    }

    /** @param helping takes from the share's end, which its owner reaches last */
    private void takeShare(int share, boolean helping) {
        int at = (share + 1) * APART;
        boolean resumed = false;
        for (long left = shares.get(at); ; left = shares.get(at)) {
            int begin = (int) ((left & ~BEGUN) >>> Integer.SIZE);
            int end = (int) left;
            int count = end - begin;
            boolean few = adjoining && count < LEAST_DIVIDED;
            if (count <= 0 || helping && few && left < 0) {
                return;
            }
            int parts = few ? 1 : adjoining ? 2 : PARTS;
            count = (count + parts - 1) / parts;
            int from = helping ? end - count : begin;
            long rest = helping ? range(begin, from) | left & BEGUN : range(from + count, end) | BEGUN;
            if (!shares.compareAndSet(at, left, rest)) {
                continue;
            }
            if (resumed) {
                task.resume(from, from + count);
            } else {
                task.run(from, from + count);
            }
            resumed = !helping;
        }
    }

    private boolean enter() {
        int inside = state.get(GATE);
        while (inside < CLOSED) {
            if (state.compareAndSet(GATE, inside, inside + 1)) {
                return true;
            }
            inside = state.get(GATE);
        }
        return false;
    }

    private final class Worker extends Thread {
        private final int number;
        private int seen;
        private volatile boolean asleep;
        private volatile boolean ended;

        Worker(int number, int seen) {
            super("torch-nnapi-kernels-" + number);
            this.number = number;
            this.seen = seen;
            setDaemon(true);
        }

        void wake() {
            if (asleep) {
                asleep = false;
                LockSupport.unpark(this);
            }
        }

        void end() {
            ended = true;
            LockSupport.unpark(this);
        }

        @Override
        public void run() {
            while (awaitWork()) {
                if (enter()) {
                    try {
                        takeUnits(number);
                    } finally {
                        state.getAndDecrement(GATE);
                    }
                }
            }
        }

        /** False when the pool wants this thread no more. */
        private boolean awaitWork() {
            long start = System.nanoTime();
            for (int turns = 1; state.get(EPOCH) == seen; turns++) {
                if (ended) {
                    return false;
                }
                if (turns % TURNS != 0) {
                    Thread.onSpinWait();
                    continue;
                }
                long waited = System.nanoTime() - start;
                if (waited < IDLE_NANOS || waited < SERIES_NANOS && series.get() > 0) {
                    if (waited > YIELD_NANOS) {
                        Thread.yield();
                    }
                    continue;
                }
                asleep = true;
                if (state.get(EPOCH) == seen && !ended) {
                    LockSupport.park(KernelPool.this);
                }
                asleep = false;
                start = System.nanoTime();
            }
            seen = state.get(EPOCH);
            return !ended;
        }
    }
}
