package org.torchnnapi.execution.interp;

import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Stands between programs and what they call, for runs on tensors that are not there. It ends a run by an exception.
 */
public interface OperatorHook {
    /**
     * In place of an operator.
     *
     * @param kernel what would be called
     * @param arguments as for the kernel
     * @return as from the kernel
     */
    Object call(Node node, OperatorKernel kernel, Object[] arguments);

    /** Before a node of a region begins, in a {@linkplain Region#trial trial} of it. */
    default void at(int node) {}

    /** After a node that is no operator made a value: a list, a tuple, a dict or a part of one. */
    default void made(Node node, Object value) {}

    /** After an attribute was read. */
    default void read(ScriptObject object, int slot, Object value) {}

    /**
     * Before a node does something that lasts: it sets an attribute, makes an object, forks or calls a custom class.
     */
    default void acts(Node node) {}
}
