package org.torchnnapi.execution.tracing.lower;

/**
 * An operator that no program can do as it is called here. Thrown and caught for every such call, so it has no stack.
 */
public final class NotLoweredException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NotLoweredException(String reason) {
        super(reason, null, false, false);
    }
}
