package org.torchnnapi.converter.report;

/** Leaves the lowering of one node; what lowers the graph catches it at the node and makes it a {@link Refusal}. */
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
}
