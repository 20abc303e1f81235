package org.torchnnapi.execution;

import java.time.Duration;
import org.torchnnapi.torchscript.value.ScriptException;

/** Work took longer than it may, see {@link Deadline}; the module may be used again. */
public final class DeadlineException extends ScriptException {
    private static final long serialVersionUID = 1L;

    DeadlineException(String what, Duration limit, Exception cause) {
        super(
                "TimeoutError",
                what + ": not done after " + limit.toMillis() + " ms (expected: less work, or a later deadline)",
                cause);
    }
}
