package org.torchnnapi.kernels;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.torchnnapi.tensor.platform.Spinning;

/**
 * Threads that share the units of pieces of work. A waiting thread spins briefly, so that layers that follow each other
 * in microseconds find it awake, then sleeps: an idle pool costs nothing. The caller is one of the threads and never
 * waits for one that has not woken yet. Kernels' results do not depend on the number of threads.
 *
 * <p>Each thread has a share of adjacent units, the same from one piece of work to the next, so that what it wrote is
 * in its own core's cache; who is done helps the others with theirs, since cores are not equally fast: other work, or
 * another machine on the same processor, takes a part of some.
 *
 * <p>In a series of pieces every thread walks through the pieces by itself and begins one when all units of the one
 * before are done: nobody hands out work, and a thread that the system has stopped between two pieces delays none.
 *
 * <p>One series runs at a time; a second caller meanwhile does all its units itself. {@link #close} ends the threads;
 * the pool still works then, on the caller's thread.
 */
public final class KernelPool implements AutoCloseable {
    /** Turns of a waiting loop between looks at the clock. */
    private static final int TURNS = 16;
    /**
     * Turns, half a microsecond or so, before a thread that is done looks for what it can do for the others: those are
     * mostly nearly done too.
     */
    private static final int FORBEARANCE = 10;
    /**
     * Threads may share a core: from then on a waiting thread lets others have it. Pure spinning cost them up to 120
     * ms.
     */
    private static final long YIELD_NANOS = 100_000;
    /** Waking a thread costs its waker several microseconds and lasts tens of them. */
    private static final long IDLE_NANOS = 100_000;
    /** Longer than what a caller commonly does alone between two pieces of a series. */
    private static final long SERIES_NANOS = 1_000_000;

    private static final int CLOSED = 1 << 30;
    /** Ints or longs between two that different threads write: adjacent cache lines are fetched in pairs. */
    private static final int APART = 32;

    private static final int EPOCH = APART;
    private static final int GATE = 2 * APART;
    private static final int REACHED = 3 * APART;
    /** In a share that its own thread has begun. */
    private static final long BEGUN = Long.MIN_VALUE;

    private static final IntConsumer UNWATCHED = piece -> {};

    /** Work on units [begin, end); called by several threads at once with disjoint ranges. */
    @FunctionalInterface
    public interface Task {
        void run(int begin, int end);

        /**
         * As {@link #run}, by the thread that did the units before {@code begin} last: what it keeps of them may be
         * used.
         */
        default void resume(int begin, int end) {
            again(begin, end);
        }

        /**
         * As {@link #run}, by a thread whose last units were others of this work: what it keeps of what all need may be
         * used.
         */
        default void again(int begin, int end) {
            run(begin, end);
        }
    }

    /**
     * A piece of work.
     *
     * @param units shares it can be cut into; a piece of one unit is the caller's
     * @param adjoining whether units that one thread does one after the other take less than by several: then fewer are
     *     given away
     */
    public record Piece(int units, boolean adjoining, Task task) {
        public Piece {
            Check.atLeast("units", units, 1);
        }
    }

    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicInteger series = new AtomicInteger();
    /**
     * At {@link #EPOCH} the number of the current work; at {@link #GATE} how many workers are inside it, plus
     * {@link #CLOSED} when no more may enter; at {@link #REACHED} the piece at which the caller is.
     */
    private final AtomicIntegerArray state = new AtomicIntegerArray(4 * APART);

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile Worker[] workers = {};
    /**
     * What is left of each thread's share of each piece, see {@link #at}: the first unit in the upper half, the end in
     * the lower one; and {@link #BEGUN}.
     */
    private AtomicLongArray shares;
    /** Pieces that the above has room for. */
    private int room;
    /**
     * How many units each thread has done of all work so far, see {@link #progressOf}. Only its thread writes it, so
     * that a piece's end costs one look at each other thread's cache line.
     */
    private AtomicIntegerArray progress;

    private UnitSharing sharing;
    private Piece[] pieces;
    /** The sum of all threads' progress at the beginning of the current work. */
    private int doneBefore;

    private static final class Shared {
        private static final KernelPool POOL = new KernelPool(Machine.current().threads());
    }

    /** The pool that everything in this process shares unless it brings its own; at first {@link Machine#threads}. */
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
            sharing = new UnitSharing(threads, Machine.current().isUneven(threads));
            makeRoom(APART);
            progress = new AtomicIntegerArray(Math.multiplyExact(threads + 2, APART));
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

    private void makeRoom(int count) {
        room = (count + APART - 1) / APART * APART;
        shares = new AtomicLongArray(Math.multiplyExact(sharing.threads() + 1, room + APART));
    }

    /**
     * Wakes the threads and keeps them awake between pieces of work that follow each other closely, until
     * {@link #endSeries}.
     */
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

    /**
     * Does all units and returns when they are done. What a unit throws is thrown here, once all threads have stopped.
     */
    public void run(int units, Task task) {
        run(units, false, task);
    }

    /** Does all units of a piece as {@link #run(int, Task)}. */
    public void run(int units, boolean adjoining, Task task) {
        if (units <= 0) {
            return;
        }
        if (units == 1 || workers.length == 0) {
            task.run(0, units);
            return;
        }
        run(new Piece[] {new Piece(units, adjoining, task)}, UNWATCHED);
    }

    /**
     * Does all pieces, each when the one before is done, and returns when all are. What a unit throws is thrown here,
     * once all threads have stopped.
     *
     * @param pieces not to be changed meanwhile
     * @param before called on the caller's thread before it begins a piece, with its position; other threads may have
     *     begun it. What it throws ends the work.
     */
    public void run(Piece[] pieces, IntConsumer before) {
        if (workers.length == 0 || !busy.compareAndSet(false, true)) {
            for (int i = 0; i < pieces.length; i++) {
                before.accept(i);
                pieces[i].task.run(0, pieces[i].units);
            }
            return;
        }
        Throwable thrown;
        try {
            share(pieces);
            state.set(GATE, 0);
            state.getAndIncrement(EPOCH);
            for (Worker worker : workers) {
                worker.wake();
            }
            walk(0, 0, before);
            state.getAndAdd(GATE, CLOSED);
            Waiting waiting = new Waiting();
            while (state.get(GATE) != CLOSED) {
                waiting.turn();
            }
        } finally {
            this.pieces = null;
            // Before the next caller may begin, whose work it would end.
            thrown = failure.get() == null ? null : failure.getAndSet(null);
            busy.set(false);
        }
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

    private void share(Piece[] pieces) {
        this.pieces = pieces;
        if (pieces.length > room) {
            makeRoom(pieces.length);
        }
        for (int i = 0; i < pieces.length; i++) {
            long units = pieces[i].units;
            for (int thread = 0; thread < sharing.threads(); thread++) {
                shares.lazySet(
                        at(thread, i), range(sharing.firstOf(thread, units), sharing.firstOf(thread + 1, units)));
            }
        }
        doneBefore = totalProgress();
        state.lazySet(REACHED, 0);
    }

    private static int progressOf(int thread) {
        return (thread + 1) * APART;
    }

    private int totalProgress() {
        int sum = 0;
        for (int thread = 0; thread < sharing.threads(); thread++) {
            sum += progress.get(progressOf(thread));
        }
        return sum;
    }

    /** Notes that a thread has done units, which those that see the note may read. */
    private void advance(int own, int units) {
        int at = progressOf(own);
        progress.lazySet(at, progress.get(at) + units);
    }

    private int at(int thread, int piece) {
        return (room + APART) * thread + APART + piece;
    }

    private static long range(int begin, int end) {
        return (long) begin << Integer.SIZE | end;
    }

    /** Does what a thread finds to do of all pieces from the given one on. */
    private void walk(int own, int first, IntConsumer before) {
        try {
            int due = doneBefore;
            for (int i = 0; i < first; i++) {
                due += pieces[i].units;
            }
            for (int i = first; i < pieces.length && failure.get() == null; i++) {
                due += pieces[i].units;
                if (own == 0) {
                    state.lazySet(REACHED, i);
                    before.accept(i);
                }
                if (pieces[i].units > 1) {
                    takeUnits(own, i, due);
                } else {
                    takeSingle(own, i, due);
                }
            }
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
    }

    /** The caller does one single unit after the other; only what comes behind them waits, and for the last alone. */
    private void takeSingle(int own, int piece, int due) {
        if (own == 0) {
            pieces[piece].task.run(0, 1);
            advance(own, 1);
        } else if (piece + 1 == pieces.length || pieces[piece + 1].units > 1) {
            await(due);
        }
    }

    /**
     * Does the units of a thread's own share, then what is left of the others'; returns when all are done, but from a
     * worker's last piece at once.
     *
     * @param due the threads' progress then, in sum
     */
    private void takeUnits(int own, int piece, int due) {
        boolean worked = takeShare(own, own, piece, false);
        // Who looks at another's share takes its cache line away from that thread.
        for (int turns = 0; turns < FORBEARANCE && !isReached(due); turns++) {
            Spinning.pause();
        }
        for (int i = 1; i < sharing.threads() && !isReached(due); i++) {
            worked |= takeShare(own, sharing.next(own, i), piece, worked);
        }
        if (own == 0 || piece + 1 < pieces.length) {
            await(due);
        }
    }

    /** No thread begins a piece before the last one is done, so the sum says which pieces are; it may overflow. */
    private boolean isReached(int due) {
        return totalProgress() - due >= 0;
    }

    private void await(int due) {
        Waiting waiting = new Waiting();
        while (!isReached(due) && failure.get() == null) {
            waiting.turn();
        }
    }

    /**
     * Does units of a thread's share: its own from the beginning, another's from the end, which its owner reaches last.
     * Returns whether it found some.
     *
     * @param worked whether it has done others of this piece
     */
    private boolean takeShare(int own, int thread, int piece, boolean worked) {
        boolean helping = own != thread;
        boolean adjoining = pieces[piece].adjoining;
        Task task = pieces[piece].task;
        int at = at(thread, piece);
        int done = 0;
        for (long left = shares.get(at); ; left = shares.get(at)) {
            int begin = (int) ((left & ~BEGUN) >>> Integer.SIZE);
            int end = (int) left;
            int count = sharing.portion(end - begin, helping, left < 0, adjoining);
            if (count == 0) {
                break;
            }
            int from = helping ? end - count : begin;
            long rest = helping ? range(begin, from) | left & BEGUN : range(from + count, end) | BEGUN;
            if (!shares.compareAndSet(at, left, rest)) {
                continue;
            }
            if (done > 0 && !helping) {
                task.resume(from, from + count);
            } else if (done > 0 || worked) {
                task.again(from, from + count);
            } else {
                task.run(from, from + count);
            }
            done += count;
        }
        if (done > 0) {
            advance(own, done);
        }
        return done > 0;
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
                        walk(number, state.get(REACHED), UNWATCHED);
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
                    Spinning.pause();
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
