package org.torchnnapi.nnapi.runtime;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** The runtime's daemon threads: asynchronous executions, and calls of drivers that might hang. They end when idle. */
final class Threads {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final ExecutorService POOL = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "nnapi-" + NUMBER.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    });

    private Threads() {}

    static Executor executor() {
        return POOL;
    }

    static <T> Future<T> submit(Callable<T> task) {
        return POOL.submit(task);
    }
}
