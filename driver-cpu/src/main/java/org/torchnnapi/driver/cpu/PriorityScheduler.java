package org.torchnnapi.driver.cpu;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.NnapiException;

/**
 * Who works next where more want to than the device has processors: the one of the highest priority, among those the
 * one with the earliest deadline, and then the one that came first. Until a thread that waits is awake, others may work
 * that come no later by priority and deadline: waking it takes longer than many a model; after a millisecond it is
 * passed by no more. Nobody who works is interrupted. While there is room, taking a turn allocates nothing. Safe from
 * any thread; whoever has a turn takes no other.
 */
final class PriorityScheduler {
    /** How long a waiting thread may miss that it is cancelled. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** How long a waiting thread may be passed by. */
    private static final long PASSED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A thread that waits. */
    private static final class Turn implements Comparable<Turn> {
        private final Thread thread = Thread.currentThread();
        private final Priority priority;
        private final boolean limited;
        private final long deadline;
        private final long arrival;
        private final long since = System.nanoTime();
        private boolean called;
        private volatile boolean granted;

        Turn(Priority priority, ExecutionControl control, long arrival) {
            this.priority = priority;
            limited = control.hasDeadline();
            deadline = limited ? control.deadline() : 0;
            this.arrival = arrival;
        }

        @Override
        public int compareTo(Turn other) {
            int order = order(other.priority, other.limited, other.deadline);
            return order != 0 ? order : Long.compare(arrival, other.arrival);
        }

        /** Below 0 where this one comes before whoever has that priority and deadline, 0 where neither does. */
        int order(Priority priorityOfOther, boolean otherIsLimited, long deadlineOfOther) {
            if (priority != priorityOfOther) {
                return priorityOfOther.compareTo(priority);
            }
            if (limited != otherIsLimited) {
                return limited ? -1 : 1;
            }
            // Points of nanoTime compare by their difference, which may wrap around.
            return limited ? Long.signum(deadline - deadlineOfOther) : 0;
        }

        /** Whether it was passed by for as long as it may be. */
        boolean isDue() {
            return System.nanoTime() - since > PASSED_NANOS;
        }
    }

    private final int most;
    private final PriorityQueue<Turn> waiting = new PriorityQueue<>();
    private int working;
    private long arrivals;

    /** @param most how many work at the same time */
    PriorityScheduler(int most) {
        this.most = most;
    }

    /** As many as the machine has processors. */
    static PriorityScheduler ofProcessors() {
        return new PriorityScheduler(Runtime.getRuntime().availableProcessors());
    }

    /**
     * Waits for a turn.
     *
     * @throws NnapiException if it is cancelled or past its deadline; then it has none
     */
    void take(Priority priority, ExecutionControl control) {
        Turn turn;
        synchronized (this) {
            if (working < most && mayPass(priority, control)) {
                working++;
                return;
            }
            turn = new Turn(priority, control, arrivals++);
            waiting.add(turn);
        }
        boolean interrupted = false;
        try {
            while (!turn.granted && !begins(turn)) {
                LockSupport.parkNanos(this, CHECK_NANOS);
                interrupted |= Thread.interrupted();
                control.check();
            }
        } catch (NnapiException e) {
            leave(turn);
            throw e;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean mayPass(Priority priority, ExecutionControl control) {
        Turn first = waiting.peek();
        return first == null
                || first.order(priority, control.hasDeadline(), control.hasDeadline() ? control.deadline() : 0) >= 0
                        && !first.isDue();
    }

    /** Whether a thread that waits, and is awake, is the next and finds room. */
    private synchronized boolean begins(Turn turn) {
        turn.called = false;
        if (turn.granted || working == most || waiting.peek() != turn) {
            return turn.granted;
        }
        waiting.remove();
        turn.granted = true;
        working++;
        call();
        return true;
    }

    /** Wakes the next where there is room for it. */
    private void call() {
        Turn next = waiting.peek();
        if (next != null && working < most && !next.called) {
            next.called = true;
            LockSupport.unpark(next.thread);
        }
    }

    private synchronized void leave(Turn turn) {
        if (waiting.remove(turn)) {
            call();
        } else {
            giveBack();
        }
    }

    /** Ends a turn; the next of those that wait begins, or is woken to. */
    synchronized void giveBack() {
        Turn next = waiting.peek();
        if (next != null && next.isDue()) {
            waiting.remove();
            next.granted = true;
            LockSupport.unpark(next.thread);
        } else {
            working--;
            call();
        }
    }

    /** How many wait. */
    synchronized int waiting() {
        return waiting.size();
    }
}
