package org.torchnnapi.converter.lower;

import org.torchnnapi.torchscript.ir.Node;

/** Turns one kind of node into NNAPI operands and operations. */
@FunctionalInterface
interface Adder {
    /** @throws Refused if NNAPI cannot express the node */
    void lower(Node node, LoweringContext context);
}
