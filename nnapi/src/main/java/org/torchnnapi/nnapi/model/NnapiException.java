package org.torchnnapi.nnapi.model;

import java.util.Objects;

/**
 * The one exception of the runtime: a result code of the specification and a message naming the value and the rule it
 * broke.
 */
public final class NnapiException extends RuntimeException {
    private final ResultCode resultCode;

    public NnapiException(ResultCode resultCode, String message) {
        super(message);
        this.resultCode = Objects.requireNonNull(resultCode);
    }

    public NnapiException(ResultCode resultCode, String message, Throwable cause) {
        super(message, cause);
        this.resultCode = Objects.requireNonNull(resultCode);
    }

    /** What a C program would get. */
    public ResultCode resultCode() {
        return resultCode;
    }

    @Override
    public String toString() {
        return resultCode + ": " + getMessage();
    }
}
