package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.ir.Node;

/** One instruction of a program. */
abstract class GraphStep {
    private static final int[] NOTHING = {};

    /** The node it was made for. */
    final Node node;

    /** Slots whose values nobody needs after this step. */
    int[] dead = NOTHING;

    GraphStep(Node node) {
        this.node = node;
    }

    /** @return the index of the step that comes next */
    abstract int run(SlotFrame frame, int at);

    final void release(Object[] slots) {
        for (int slot : dead) {
            slots[slot] = null;
        }
    }
}
