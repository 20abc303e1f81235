package org.torchnnapi.execution.interp;

import java.util.List;

/**
 * How long a step of a method took, all calls together.
 *
 * @param name the operations that the step does, or the operator that was called
 * @param compiled whether it is a program's step; otherwise an operator was called on its kernel
 * @param calls of operators that the step computes, in the order of a run; empty where that is not known
 */
public record StageTime(String name, boolean compiled, long nanos, List<NodeCall> calls) {
    /** Of a step whose calls are not known. */
    public StageTime(String name, boolean compiled, long nanos) {
        this(name, compiled, nanos, List.of());
    }
}
