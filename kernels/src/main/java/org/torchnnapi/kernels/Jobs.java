package org.torchnnapi.kernels;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Pieces of work of which some need what others make. Threads that share them take, each by itself, the first job whose
 * needs are done, so that none waits for one that has not come yet, and whoever comes does what there is to do. What a
 * job does must not depend on who does it.
 */
public final class Jobs {
    private static final int OPEN = 0;
    private static final int TAKEN = 1;
    private static final int DONE = 2;

    /**
     * A piece of work.
     *
     * @param needs positions of the jobs that are to be done before, all of them smaller than its own
     */
    public record Job(Runnable work, int... needs) {}

    private final Job[] jobs;
    private final AtomicIntegerArray states;
    private volatile boolean failed;

    /** @param jobs in the order in which they are wanted */
    public Jobs(List<Job> jobs) {
        this.jobs = jobs.toArray(new Job[0]);
        for (int i = 0; i < this.jobs.length; i++) {
            for (int need : this.jobs[i].needs) {
                if (need < 0 || need >= i) {
                    throw new IllegalArgumentException(
                            "job " + i + " needs job " + need + " (expected: one before it)");
                }
            }
        }
        states = new AtomicIntegerArray(this.jobs.length);
    }

    /** All jobs are to be done, again; before any thread begins. */
    public void reset() {
        for (int i = 0; i < jobs.length; i++) {
            states.lazySet(i, OPEN);
        }
        failed = false;
    }

    /**
     * Does jobs until none is left that nobody has begun; others may still be at the last ones. What a job throws is
     * thrown here, and all threads stop.
     */
    public void work() {
        int first = 0;
        Waiting waiting = new Waiting();
        while (!failed) {
            while (first < jobs.length && states.get(first) != OPEN) {
                first++;
            }
            if (first == jobs.length) {
                return;
            }
            int job = firstReady(first);
            if (job < jobs.length && states.compareAndSet(job, OPEN, TAKEN)) {
                run(job);
                waiting.again();
            } else {
                waiting.turn();
            }
        }
    }

    private void run(int job) {
        try {
            jobs[job].work.run();
            states.lazySet(job, DONE);
        } catch (RuntimeException | Error e) {
            failed = true;
            throw e;
        }
    }

    private int firstReady(int from) {
        int job = from;
        while (job < jobs.length && !(states.get(job) == OPEN && isReady(jobs[job]))) {
            job++;
        }
        return job;
    }

    private boolean isReady(Job job) {
        for (int need : job.needs) {
            if (states.get(need) != DONE) {
                return false;
            }
        }
        return true;
    }
}
