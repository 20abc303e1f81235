package org.torchnnapi.torchscript.source;

import org.torchnnapi.tensor.platform.Strings;

/**
 * TorchScript source that cannot be read or compiled. The message has the place, what was found and what was expected.
 */
public final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** Names and types of a file may be of any length. */
    private static final int MAX_PART = 500;

    private final String entry;
    private final int line;
    private final int column;
    private final String found;
    private final String expected;

    /**
     * @param entry archive entry, for example {@code code/__torch__/net.py}
     * @param found what stands there
     */
    public SourceException(String entry, Position at, String found, String expected) {
        super(Strings.shown(entry) + ":" + at.line() + ":" + at.column() + ": " + Strings.beginning(found, MAX_PART)
                + " (expected: " + Strings.beginning(expected, MAX_PART) + ")");
        this.entry = entry;
        this.line = at.line();
        this.column = at.column();
        this.found = found;
        this.expected = expected;
    }

    public String entry() {
        return entry;
    }

    /** 1-based. */
    public int line() {
        return line;
    }

    /** 1-based. */
    public int column() {
        return column;
    }

    public String found() {
        return found;
    }

    public String expected() {
        return expected;
    }
}
