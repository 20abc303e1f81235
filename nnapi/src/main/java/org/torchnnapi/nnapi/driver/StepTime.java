package org.torchnnapi.nnapi.driver;

import java.util.List;

/**
 * How long a piece of a prepared model took, all executions together.
 *
 * @param name for people, the operations that the piece does
 * @param operations that the piece does, by their places in the prepared model; empty where that is not known
 */
public record StepTime(String name, long nanos, List<Integer> operations) {
    /** Of a piece whose operations are not known. */
    public StepTime(String name, long nanos) {
        this(name, nanos, List.of());
    }
}
