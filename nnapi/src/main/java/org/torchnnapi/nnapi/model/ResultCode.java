package org.torchnnapi.nnapi.model;

/** The specification's result codes; the constant's position is its code. */
public enum ResultCode {
    NO_ERROR,
    OUT_OF_MEMORY,
    INCOMPLETE,
    UNEXPECTED_NULL,
    BAD_DATA,
    OP_FAILED,
    BAD_STATE,
    UNMAPPABLE,
    OUTPUT_INSUFFICIENT_SIZE,
    UNAVAILABLE_DEVICE,
    MISSED_DEADLINE_TRANSIENT,
    MISSED_DEADLINE_PERSISTENT,
    RESOURCE_EXHAUSTED_TRANSIENT,
    RESOURCE_EXHAUSTED_PERSISTENT,
    DEAD_OBJECT;

    /** The header's number. */
    public int code() {
        return ordinal();
    }

    /** Whether the same call may succeed later without a change. */
    public boolean isTransient() {
        return this == MISSED_DEADLINE_TRANSIENT || this == RESOURCE_EXHAUSTED_TRANSIENT;
    }
}
