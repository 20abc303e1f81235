package org.torchnnapi.nnapi.runtime;

import java.util.List;

/**
 * How long a piece of a compiled model took, all executions together.
 *
 * @param device that did it
 * @param name for people, the operations that the piece does
 * @param origins what the piece computes, by identity: operations of the compiled model, or what else a model consists
 *     of that does not run on NNAPI; empty where that is not known
 */
public record ProfiledStep(String device, String name, long nanos, List<?> origins) {
    /** Of a piece whose origins are not known. */
    public ProfiledStep(String device, String name, long nanos) {
        this(device, name, nanos, List.of());
    }
}
