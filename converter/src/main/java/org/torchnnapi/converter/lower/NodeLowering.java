package org.torchnnapi.converter.lower;

import org.torchnnapi.torchscript.ir.Node;

/** Turns one kind of node into NNAPI operations. */
@FunctionalInterface
interface NodeLowering {
    /** @throws org.torchnnapi.converter.report.Refused if NNAPI cannot express the node */
    void lower(Node node, LoweringContext context);
}
