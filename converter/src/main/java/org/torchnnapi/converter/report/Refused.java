package org.torchnnapi.converter.report;

/**
 * Leaves the lowering of one node with a {@link Reason}, which is all that anyone else sees of it: where an argument is
 * not known or not of its type, or a model under construction cannot have a tensor.
 */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Reason reason;

    public Refused(String rule, String found, String expected, String advice) {
        this(new Reason(rule, found, expected, advice));
    }

    /** Where there is nothing to advise. */
    public Refused(String rule, String found, String expected) {
        this(rule, found, expected, "");
    }

    public Refused(Reason reason) {
        super(reason.rule(), null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
