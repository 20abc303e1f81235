package org.torchnnapi.kernels;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that share the units of a piece of work. A waiting thread spins briefly, so that layers that follow each other in
 * microseconds find it awake, then sleeps: an idle pool costs nothing. The caller is one of the threads and never waits for one that
 * has not woken yet. Kernels' results do not depend on the number of threads.
 *
 * <p>One piece of work runs at a time; a second caller meanwhile does all its units itself. {@link #close} ends the threads; the pool
 * still works then, on the caller's thread.
 */
public final class KernelPool implements AutoCloseable {
    /** Pure spinning cost up to 120 ms whenever two threads shared a core; this many turns cost nothing measurable. */
    private static final int SPINS = 2000;
    private static final int CLOSED = 1 << 30;
    /** Shares a thread gets on average: enough to even out threads that start late, few enough to stay cheap. */
    private static final int SHARES = 4;

    /** Work on units [begin, end); called by several threads at once with disjoint ranges. */
    @FunctionalInterface
    public interface Task {
        void run(int begin, int end);
    }

    private final AtomicBoolean busy = new AtomicBoolean();
    /** How many workers are inside the current work, plus {@link #CLOSED} when no more may enter. */
    private final AtomicInteger gate = new AtomicInteger(CLOSED);
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private Worker[] workers = {};
    private volatile int epoch;
    private Task task;
    private int units;
    private int grain;

    private static final class Shared {
        private static final KernelPool POOL = new KernelPool(Runtime.getRuntime().availableProcessors());
    }

    /** The pool that everything in this process shares unless it brings its own; at first a thread for each processor. */
    public static KernelPool shared() {
        return Shared.POOL;
    }

    /** A pool of that many threads, the caller's among them. */
    public KernelPool(int threads) {
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
            Worker[] started = new Worker[threads - 1];
            for (int i = 0; i < started.length; i++) {
                started[i] = new Worker(i + 1, epoch);
                started[i].start();
            }
            workers = started;
        } finally {
            busy.set(false);
        }
    }

    /** Does all units and returns when they are done. What a unit throws is thrown here, once all threads have stopped. */
    public void run(int units, Task task) {
        if (units <= 0) {
            return;
        }
        if (units == 1 || workers.length == 0 || !busy.compareAndSet(false, true)) {
            task.run(0, units);
            return;
        }
        try {
            this.task = task;
            this.units = units;
            grain = Math.max(1, units / (SHARES * numThreads()));
            next.set(0);
            gate.set(0);
            epoch++;
            for (Worker worker : workers) {
                worker.wake();
            }
            takeUnits();
            gate.getAndAdd(CLOSED);
            for (int spins = 0; gate.get() != CLOSED; spins++) {
                if (spins < SPINS) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        } finally {
            this.task = null;
            busy.set(false);
        }
        Throwable thrown = failure.getAndSet(null);
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

    private void takeUnits() {
        try {
            for (int begin = next.getAndAdd(grain); begin < units && begin >= 0; begin = next.getAndAdd(grain)) {
                task.run(begin, Math.min(units, begin + grain));
            }
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            next.set(units);
        }
    }

    private boolean enter() {
        int inside = gate.get();
        while (inside < CLOSED) {
            if (gate.compareAndSet(inside, inside + 1)) {
                return true;
            }
            inside = gate.get();
        }
        return false;
    }

    private final class Worker extends Thread {
        private int seen;
        private volatile boolean asleep;
        private volatile boolean ended;

        Worker(int number, int seen) {
            super("torch-nnapi-kernels-" + number);
            this.seen = seen;
            setDaemon(true);
        }

        void wake() {
            if (asleep) {
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
                        takeUnits();
                    } finally {
                        gate.getAndDecrement();
                    }
                }
            }
        }

        /** False when the pool wants this thread no more. */
        private boolean awaitWork() {
            for (int spins = 0; epoch == seen; spins++) {
                if (ended) {
                    return false;
                }
                if (spins < SPINS) {
                    Thread.onSpinWait();
                    continue;
                }
                asleep = true;
                if (epoch == seen && !ended) {
                    LockSupport.park(KernelPool.this);
                }
                asleep = false;
            }
            seen = epoch;
            return !ended;
        }
    }
}
