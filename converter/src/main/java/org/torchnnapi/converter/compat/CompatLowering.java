package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.torchscript.ir.Node;

/** Turns one kind of node into NNAPI operands and operations. */
@FunctionalInterface
interface CompatLowering {
    /** @throws Refused if NNAPI cannot express the node */
    void lower(Node node, CompatLoweringContext context);
}
