package org.torchnnapi.torchscript.interp;

import org.torchnnapi.torchscript.ir.Node;

/** Is told what runs, for profiles and traces. */
@FunctionalInterface
public interface NodeObserver {
    /** @param nanoseconds time the node took; for a call, with all that it called */
    void ran(Node node, long nanoseconds);
}
