package org.torchnnapi.converter.compat;

/**
 * Leaves the lowering of one node; {@link CompatGraphLowering} catches it at the node and turns it into a
 * {@link org.torchnnapi.converter.report.Refusal}.
 */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final String found;
    private final String expected;
    private final String advice;

    public Refused(String rule, String found, String expected, String advice) {
        super(rule, null, false, false);
        this.found = found;
        this.expected = expected;
        this.advice = advice;
    }

    /** What no lowering is there for. */
    public static Refused unknownOperator(String kind, String advice) {
        return new Refused(
                "no NNAPI operation for this operator",
                kind,
                "one of those that torch-nnapi operators --converts lists",
                advice);
    }

    public String found() {
        return found;
    }

    public String expected() {
        return expected;
    }

    public String advice() {
        return advice;
    }

    /** Thrown when a node depends on the result of a refused one, about which nothing more can be said. */
    static final class UnknownOperand extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnknownOperand() {
            super("operand of a refused node", null, false, false);
        }
    }
}
