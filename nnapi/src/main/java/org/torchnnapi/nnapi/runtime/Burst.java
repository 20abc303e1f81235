package org.torchnnapi.nnapi.runtime;

import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Executions of one compilation in quick succession: what they write to between steps, and what devices keep for them,
 * lasts as long as the burst, and its executions allocate nothing. One execution at a time. Close it: the compilation's
 * memory is kept until then.
 */
public final class Burst implements AutoCloseable {
    private final Compilation compilation;
    private final PlanRun run;
    private final BurstState whole;
    private boolean busy;
    private boolean closed;
    private boolean given;

    /** @throws NnapiException BAD_STATE if the compilation is closed */
    public Burst(Compilation compilation) {
        this.compilation = compilation;
        run = compilation.openBurst();
        if (run != null) {
            run.openBurst();
        }
        whole = compilation.openWholeBurst();
    }

    Compilation compilation() {
        return compilation;
    }

    synchronized void enter() {
        if (closed || busy) {
            throw new NnapiException(
                    ResultCode.BAD_STATE,
                    closed ? "burst: closed (expected: open)" : "burst: busy (expected: one execution at a time)");
        }
        busy = true;
    }

    void execute(ExecutionRequest request) {
        compilation.executeInBurst(request, run, whole);
    }

    synchronized void leave() {
        busy = false;
        giveBack();
    }

    private void giveBack() {
        if (closed && !busy && !given) {
            given = true;
            if (run != null) {
                run.closeBurst();
            }
            if (whole != null) {
                whole.close();
            }
            compilation.closeBurst(run);
        }
    }

    /** Ends the burst, once an execution that is running has ended. Closing twice is harmless. */
    @Override
    public synchronized void close() {
        closed = true;
        giveBack();
    }
}
