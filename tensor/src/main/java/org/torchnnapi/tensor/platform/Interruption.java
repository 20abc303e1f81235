package org.torchnnapi.tensor.platform;

import java.util.concurrent.CancellationException;

/** Ends work that the memory of its arguments does not bound, where its thread is interrupted. */
public final class Interruption {
    private Interruption() {}

    /** @throws CancellationException if the thread is interrupted; its flag stays set */
    public static void check() {
        if (Thread.currentThread().isInterrupted()) {
            throw cancelled();
        }
    }

    /** What ends work whose thread was interrupted. */
    public static CancellationException cancelled() {
        return new CancellationException("the thread was interrupted");
    }
}
