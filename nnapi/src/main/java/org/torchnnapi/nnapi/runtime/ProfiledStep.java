package org.torchnnapi.nnapi.runtime;

/**
 * How long a piece of a compiled model took, all executions together.
 *
 * @param device that did it
 * @param name for people, the operations that the piece does
 */
public record ProfiledStep(String device, String name, long nanos) {}
