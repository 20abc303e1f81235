package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.torchscript.ir.Node;

/** How calls of an operator become operations of a program. */
@FunctionalInterface
public interface Lowering {
    /**
     * @param args one runtime value per schema argument; at least one holds a tensor that varies, and tensors that vary
     *     have no elements
     * @return what the operator's kernel would return, in tensors that {@code lowered} made
     * @throws NotLoweredException if no operation does what this call asks for
     * @throws IllegalArgumentException likewise, from an operation that refuses
     */
    Object lower(Lowered lowered, Node node, Object[] args);
}
