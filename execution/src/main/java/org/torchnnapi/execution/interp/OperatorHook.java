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

    /** The steps of a block of a branch or a loop, which can be run beside the program that they are part of. */
    interface Part {
        /**
         * Runs the block on copies of the program's values as they are now; what it does to memory and containers
         * lasts.
         *
         * @param carried values that a loop carries, in the place of those that it has now; null for a branch
         * @param hook called in place of every operator, or null
         * @return the block's results
         */
        Object[] run(Object[] carried, OperatorHook hook);
    }

    /**
     * In place of a branch.
     *
     * @return its results; null to go the way that its condition says
     */
    default Object[] branch(Node node, Part then, Part otherwise) {
        return null;
    }

    /**
     * In place of a round of a loop and all that come behind it, before its condition is looked at.
     *
     * @param rounds that have run
     * @param left rounds that there may be yet
     * @param carried what the loop carries now
     * @param round one round, which gives the next condition and then what is carried
     * @return what the loop carries when it has ended; null to go on as the condition says
     */
    default Object[] loop(Node node, long rounds, long left, Object[] carried, Part round) {
        return null;
    }

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
