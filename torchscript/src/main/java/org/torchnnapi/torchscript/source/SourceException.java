package org.torchnnapi.torchscript.source;

/** TorchScript source that cannot be read or compiled. The message has the place, what was found and what was expected. */
public final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

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
        super(entry + ":" + at.line() + ":" + at.column() + ": " + found + " (expected: " + expected + ")");
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
