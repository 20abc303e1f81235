package org.torchnnapi.converter.lower;

import org.torchnnapi.torchscript.ir.Node;

/** Decides what one kind of node becomes, by what is known of a node and of its arguments. */
@FunctionalInterface
interface NodeLowering {
    /**
     * What becomes of a node; nothing is added to the model before the plan is carried out.
     *
     * @throws org.torchnnapi.converter.report.Refused if an argument is not what the operations take
     */
    LoweringPlan plan(Node node, LoweringContext context);
}
