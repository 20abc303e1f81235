package org.torchnnapi.operators;

/**
 * An overload was registered though there is one of its full name: which of them runs would hang on the order of
 * families, and what is said of the other would be lost.
 */
public final class DuplicateOperatorException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String fullName;

    DuplicateOperatorException(String fullName, String first, String second) {
        super(fullName + ": registered by " + first + " and again by " + second
                + " (expected: once; take one of them away, or give it another overload name)");
        this.fullName = fullName;
    }

    /** With the overload's name, for example {@code aten::add.Tensor}. */
    public String fullName() {
        return fullName;
    }
}
