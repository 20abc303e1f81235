package org.torchnnapi.nnapi.runtime;

import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Executions of one compilation in quick succession: while a burst is open its executions allocate nothing. One execution
 * at a time.
 */
public final class Burst implements AutoCloseable {
    private final Compilation compilation;
    private boolean busy;
    private boolean closed;

    public Burst(Compilation compilation) {
        this.compilation = compilation;
    }

    Compilation compilation() {
        return compilation;
    }

    synchronized void enter() {
        if (closed || busy) {
            throw new NnapiException(ResultCode.BAD_STATE, closed ? "burst: closed (expected: open)" : "burst: busy (expected: one execution at a time)");
        }
        busy = true;
    }

    synchronized void leave() {
        busy = false;
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
