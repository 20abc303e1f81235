package org.torchnnapi.tensor.platform;

import java.util.concurrent.CancellationException;

/** Ends work that the memory of its arguments does not bound, where its thread is interrupted. */
public final class Interruption {
    private Interruption() {}

    /** @throws CancellationException if the thread is interrupted; its flag stays set */
    public static void check() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("the thread was interrupted");
        }
    }
}
