package org.torchnnapi.engine;

/** A model gave something else than its caller asked for. */
public final class OutputTypeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String found;
    private final String expected;

    /** @param place what of the answer, in words such as {@code forward: its result} */
    OutputTypeException(String place, String found, String expected) {
        super(place + ": " + found + " (expected: " + expected + ")");
        this.found = found;
        this.expected = expected;
    }

    /** What there is, such as {@code a Tuple[Tensor, Tensor]}. */
    public String found() {
        return found;
    }

    /** What was asked for, such as {@code a Tensor}. */
    public String expected() {
        return expected;
    }
}
