package org.torchnnapi.nnapi.driver;

/**
 * How long a piece of a prepared model took, all executions together.
 *
 * @param name for people, the operations that the piece does
 */
public record StepTime(String name, long nanos) {}
