package org.torchnnapi.torchscript.aten.support;

import org.torchnnapi.kernels.KernelPool;

/** The threads that operators share. */
public final class Threads {
    /** Started with the first heavy operator; daemon threads that sleep when idle. */
    private static final class Shared {
        private static final KernelPool POOL = new KernelPool(Math.max(1, Math.min(Runtime.getRuntime().availableProcessors(), 8)));
    }

    private Threads() {
    }

    public static KernelPool pool() {
        return Shared.POOL;
    }
}
