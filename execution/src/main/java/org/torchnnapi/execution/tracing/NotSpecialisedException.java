package org.torchnnapi.execution.tracing;

/** A recording cannot stand for what the method does, so the interpreter has to run it. */
public final class NotSpecialisedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotSpecialisedException(String reason) {
        super(reason, null, false, false);
    }
}
