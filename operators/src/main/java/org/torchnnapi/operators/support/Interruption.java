package org.torchnnapi.operators.support;

import java.util.concurrent.CancellationException;

/** Ends operators whose work is not bounded by the sizes of their arguments, where their thread is interrupted. */
public final class Interruption {
    private Interruption() {
    }

    /** @throws CancellationException if the thread is interrupted; its flag stays set */
    public static void check() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("the thread was interrupted");
        }
    }
}
