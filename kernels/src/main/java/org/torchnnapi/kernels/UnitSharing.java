package org.torchnnapi.kernels;

/**
 * How threads share the units of a piece of work: every thread has a share of adjacent units, takes a part of what is
 * left of it at a time, and then helps others with theirs. It has no state and no clock: {@link KernelPool} follows it,
 * and so does the simulation of machines in the tests.
 *
 * @param threads that share
 * @param uneven whether some of them are slower than others: then a thread takes less at once, so that what a slow one
 *     has begun is little when the others are done
 */
record UnitSharing(int threads, boolean uneven) {
    /** A thread takes this part of what is left of another's share at once. */
    private static final int PARTS = 4;
    /**
     * Of its own share a thread takes all units but one if they are no more than these: each call begins anew, and a
     * helper finds one anyway.
     */
    private static final int FEW = 4;
    /**
     * Fewer adjoining units than this are not divided: a helper would first do again what lies before them, and short
     * pieces take longer.
     */
    private static final int LEAST_DIVIDED = 8;

    /**
     * Where a thread's share begins. The first ones are the longer: of adjoining units only they need nothing of those
     * before.
     */
    int firstOf(int thread, long units) {
        return (int) ((units * thread + threads - 1) / threads);
    }

    /** The thread whose share is looked at after so many others. */
    int next(int own, int others) {
        return (own + others) % threads;
    }

    /**
     * How many units a thread takes at once of so many that are left of its own share, at the front, or of another's,
     * at the end; 0 for none.
     *
     * @param begun whether the share's own thread has begun it
     */
    int portion(int left, boolean helping, boolean begun, boolean adjoining) {
        if (left <= 0) {
            return 0;
        }
        if (adjoining && left < LEAST_DIVIDED) {
            return helping && begun ? 0 : left;
        }
        if (helping) {
            return part(left, adjoining ? 2 : PARTS);
        }
        if (uneven) {
            return part(left, PARTS);
        }
        return left <= FEW ? Math.max(1, left - 1) : part(left, 2);
    }

    private static int part(int left, int parts) {
        return (left + parts - 1) / parts;
    }
}
