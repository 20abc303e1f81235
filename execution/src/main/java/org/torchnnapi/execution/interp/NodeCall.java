package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.ir.Node;

/**
 * One call of an operator in a run.
 *
 * @param node of the method's graph, or of one that it calls; known by identity
 * @param occurrence how often the run had called it before: more than once in loops, and in methods that several
 *     modules share; {@link #ANY} where only a part of the run is known
 */
public record NodeCall(Node node, int occurrence) {
    public static final int ANY = -1;
}
