package org.torchnnapi.execution.interp;

/**
 * How long a step of a method took, all calls together.
 *
 * @param name the operations that the step does, or the operator that was called
 * @param compiled whether it is a program's step; otherwise an operator was called on its kernel
 */
public record StageTime(String name, boolean compiled, long nanos) {}
