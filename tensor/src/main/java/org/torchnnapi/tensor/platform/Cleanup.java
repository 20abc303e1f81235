package org.torchnnapi.tensor.platform;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs what is to happen once an object is unreachable, on a thread of its own that begins with the first one. An
 * action must not refer to its object, which would then never be unreachable.
 */
public final class Cleanup {
    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
    /** A reference is enqueued only while something refers to it. */
    private static final Set<Watched> WATCHED = ConcurrentHashMap.newKeySet();

    static {
        Thread thread = new Thread(Cleanup::run, "torch-nnapi-cleanup");
        thread.setDaemon(true);
        thread.start();
    }

    private Cleanup() {}

    /**
     * Runs the action once, some time after the object became unreachable; not if the process ends before. What it
     * throws is lost.
     */
    public static void after(Object object, Runnable action) {
        WATCHED.add(new Watched(object, action));
        Reachability.fence(object);
    }

    private static void run() {
        while (true) {
            try {
                Watched watched = (Watched) GONE.remove();
                WATCHED.remove(watched);
                watched.action.run();
            } catch (Throwable onlyThis) {
                // The others are to be cleaned up all the same, after an error too: there is one thread for the whole
                // process.
            }
        }
    }

    private static final class Watched extends PhantomReference<Object> {
        final Runnable action;

        Watched(Object object, Runnable action) {
            super(object, GONE);
            this.action = action;
        }
    }
}
