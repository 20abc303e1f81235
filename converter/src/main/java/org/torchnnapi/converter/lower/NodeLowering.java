package org.torchnnapi.converter.lower;

import org.torchnnapi.torchscript.ir.Node;

/** Turns one kind of node into NNAPI operations. */
@FunctionalInterface
interface NodeLowering {
    /** @throws org.torchnnapi.converter.report.Refused if an argument is not what the operations take */
    void lower(Node node, LoweringContext context);

    /** What becomes of a node; nothing is added to the model before the plan is carried out. */
    default LoweringPlan plan(Node node, LoweringContext context) {
        return () -> lower(node, context);
    }

    /** The lowering of a kind of which some nodes are refused. */
    static NodeLowering planned(Planner planner) {
        return new NodeLowering() {
            @Override
            public void lower(Node node, LoweringContext context) {
                plan(node, context).emit();
            }

            @Override
            public LoweringPlan plan(Node node, LoweringContext context) {
                return planner.plan(node, context);
            }
        };
    }

    /** Decides by what is known of a node and of its arguments. */
    @FunctionalInterface
    interface Planner {
        LoweringPlan plan(Node node, LoweringContext context);
    }
}
