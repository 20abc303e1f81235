package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.value.ScriptException;

/** The running thread was interrupted; its interrupt flag stays set. */
public final class InterruptedRunException extends ScriptException {
    private static final long serialVersionUID = 1L;

    InterruptedRunException() {
        super("KeyboardInterrupt", "the thread was interrupted");
    }
}
