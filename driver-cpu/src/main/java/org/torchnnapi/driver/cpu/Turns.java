package org.torchnnapi.driver.cpu;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.NnapiException;

/**
 * Who works next where more want to than the device has processors: the one of the highest priority, among those the one with the earliest deadline,
 * and then the one that came first. Nobody who works is interrupted. While there is room, taking a turn allocates nothing. Safe from any thread;
 * whoever has a turn takes no other.
 */
final class Turns {
    /** How long a waiting thread may miss that it is cancelled. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A thread that waits. */
    private static final class Turn implements Comparable<Turn> {
        private final Thread thread = Thread.currentThread();
        private final Priority priority;
        private final boolean limited;
        private final long deadline;
        private final long arrival;
        private volatile boolean granted;

        Turn(Priority priority, ExecutionControl control, long arrival) {
            this.priority = priority;
            limited = control.hasDeadline();
            deadline = limited ? control.deadline() : 0;
            this.arrival = arrival;
        }

        @Override
        public int compareTo(Turn other) {
            if (priority != other.priority) {
                return other.priority.compareTo(priority);
            }
            if (limited != other.limited) {
                return limited ? -1 : 1;
            }
            // Points of nanoTime compare by their difference, which may wrap around.
            long order = limited && deadline != other.deadline ? deadline - other.deadline : arrival - other.arrival;
            return order < 0 ? -1 : order > 0 ? 1 : 0;
        }
    }

    private final int most;
    private final PriorityQueue<Turn> waiting = new PriorityQueue<>();
    private int working;
    private long arrivals;

    /** @param most how many work at the same time */
    Turns(int most) {
        this.most = most;
    }

    /** As many as the machine has processors. */
    static Turns ofProcessors() {
        return new Turns(Runtime.getRuntime().availableProcessors());
    }

    /**
     * Waits for a turn.
     *
     * @throws NnapiException if it is cancelled or past its deadline; then it has none
     */
    void take(Priority priority, ExecutionControl control) {
        Turn turn;
        synchronized (this) {
            if (working < most) {
                working++;
                return;
            }
            turn = new Turn(priority, control, arrivals++);
            waiting.add(turn);
        }
        boolean interrupted = false;
        try {
            while (!turn.granted) {
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

    private synchronized void leave(Turn turn) {
        if (!waiting.remove(turn)) {
            giveBack();
        }
    }

    /** Ends a turn; the next of those that wait begins. */
    synchronized void giveBack() {
        Turn next = waiting.poll();
        if (next == null) {
            working--;
        } else {
            next.granted = true;
            LockSupport.unpark(next.thread);
        }
    }

    /** How many wait. */
    synchronized int waiting() {
        return waiting.size();
    }
}
