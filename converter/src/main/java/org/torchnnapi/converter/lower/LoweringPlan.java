package org.torchnnapi.converter.lower;

import org.torchnnapi.converter.report.Reason;

/** What becomes of a node: NNAPI operations, which {@link #emit} makes, or a reason why there are none. */
@FunctionalInterface
interface LoweringPlan {
    /** Adds the operations to the model. */
    void emit();

    /** Why NNAPI cannot express the node; null where it can. */
    default Reason refusal() {
        return null;
    }

    /** The plan of a node that is refused. */
    static LoweringPlan refused(Reason reason) {
        return new LoweringPlan() {
            @Override
            public void emit() {
                throw new IllegalStateException(reason.found() + " (expected: " + reason.expected() + ")");
            }

            @Override
            public Reason refusal() {
                return reason;
            }
        };
    }

    /** A plan, unless something refuses the node; null where nothing does. */
    static LoweringPlan unless(Reason refusal, LoweringPlan plan) {
        return refusal == null ? plan : refused(refusal);
    }

    /** The same with nothing to advise. */
    static LoweringPlan refused(String rule, String found, String expected) {
        return refused(new Reason(rule, found, expected));
    }

    /** The same with advice. */
    static LoweringPlan refused(String rule, String found, String expected, String advice) {
        return refused(new Reason(rule, found, expected, advice));
    }
}
