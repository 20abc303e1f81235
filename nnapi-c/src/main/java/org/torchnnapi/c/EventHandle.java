package org.torchnnapi.c;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * The end of an execution, or a fence that another program signals. A fence is what can be polled: readable once all
 * went well.
 */
final class EventHandle extends Handle {
    /** What executions that nobody waits in run on. */
    static final ExecutorService WORKERS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "nnapi execution");
        thread.setDaemon(true);
        return thread;
    });

    /** The code that the execution ended with; null for a fence of another's. */
    private final CompletableFuture<Integer> end;

    private final boolean fenced;
    /** The descriptor to wait on; -1 before anybody asks. */
    private int fence;

    /** @param fenced whether it may be waited for by a descriptor */
    EventHandle(CompletableFuture<Integer> end, boolean fenced) {
        this.end = end;
        this.fenced = fenced;
        fence = -1;
    }

    private EventHandle(int fence) {
        end = null;
        fenced = true;
        this.fence = fence;
    }

    /** A fence of another's, whose descriptor this handle owns from now on. */
    static long ofFence(int descriptor) {
        try {
            return new EventHandle(descriptor).id;
        } catch (Throwable e) {
            Native.close(descriptor);
            return Answer.negative(e);
        }
    }

    /** Waits for the end and gives the code. */
    int await() {
        return end != null ? end.join() : Native.awaitFence(fence) == 0 ? Answer.OK : ResultCode.OP_FAILED.code();
    }

    /** Whether it has failed by now. */
    boolean hasFailed() {
        return end != null && end.isDone() && end.join() != Answer.OK;
    }

    static int await(long id) {
        try {
            return get(id, EventHandle.class).await();
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** Waits for the end of the execution, whose buffers may be gone afterwards. */
    static void free(long id) {
        EventHandle handle = find(id, EventHandle.class);
        if (handle != null) {
            if (handle.end != null) {
                handle.end.join();
            }
            handle.free();
        }
    }

    @Override
    void dispose() {
        if (fence >= 0) {
            Native.close(fence);
        }
    }

    /** A new descriptor of the fence in the lower half; see {@link Answer#pair}. */
    static long fence(long id) {
        try {
            EventHandle handle = get(id, EventHandle.class);
            if (!handle.fenced) {
                throw Answer.bad("event: of startCompute (expected: of startComputeWithDependencies)");
            }
            int copy = Native.duplicate(handle.fence());
            if (copy < 0) {
                throw new NnapiException(
                        ResultCode.RESOURCE_EXHAUSTED_TRANSIENT,
                        "descriptors: none left (expected: one for the fence)");
            }
            return Answer.pair(Answer.OK, copy);
        } catch (Throwable e) {
            return Answer.pair(Answer.code(e), -1);
        }
    }

    private synchronized int fence() {
        if (fence < 0) {
            long ends = Native.createFence();
            if (ends == -1) {
                throw new NnapiException(
                        ResultCode.RESOURCE_EXHAUSTED_TRANSIENT, "descriptors: none left (expected: two for a fence)");
            }
            fence = (int) ends;
            end.thenAccept(code -> Native.signalFence((int) (ends >> 32), code == Answer.OK));
        }
        return fence;
    }
}
