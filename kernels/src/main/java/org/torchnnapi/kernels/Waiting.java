package org.torchnnapi.kernels;

import org.torchnnapi.tensor.platform.Spinning;

/** A thread's waiting for others: it spins for so long as most units take, then lets whoever shares its core go on. */
final class Waiting {
    /** Turns between looks at the clock. */
    private static final int TURNS = 16;
    /** A turn's length is the processor's own affair: from ten nanoseconds to more than a hundred. */
    private static final long SPIN_NANOS = 30_000;

    private int turns;
    private long since;
    private boolean spins = true;

    /** Waits a little. */
    void turn() {
        if (spins && ++turns % TURNS == 0) {
            long now = System.nanoTime();
            since = turns == TURNS ? now : since;
            spins = now - since < SPIN_NANOS;
        }
        if (spins) {
            Spinning.pause();
        } else {
            Thread.yield();
        }
    }

    boolean spins() {
        return spins;
    }

    /** What was waited for came; what is waited for next is something else. */
    void again() {
        turns = 0;
        spins = true;
    }
}
