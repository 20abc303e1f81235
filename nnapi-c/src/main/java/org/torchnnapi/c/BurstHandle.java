package org.torchnnapi.c;

import java.util.concurrent.atomic.AtomicBoolean;
import org.torchnnapi.nnapi.runtime.Burst;

/** Executions of one compilation in quick succession. */
final class BurstHandle extends Handle {
    final CompilationHandle compilation;
    final Burst burst;
    private final AtomicBoolean busy = new AtomicBoolean();

    private BurstHandle(CompilationHandle compilation) {
        this.compilation = compilation;
        burst = new Burst(compilation.compilation());
        need(compilation);
    }

    static long create(long compilationId) {
        try {
            return new BurstHandle(get(compilationId, CompilationHandle.class)).id;
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    static void free(long id) {
        BurstHandle handle = find(id, BurstHandle.class);
        if (handle != null) {
            handle.free();
        }
    }

    /** Takes the burst for one execution; false if another has it. */
    boolean enter() {
        return busy.compareAndSet(false, true);
    }

    void leave() {
        busy.set(false);
    }

    @Override
    void dispose() {
        burst.close();
    }
}
