package org.torchnnapi.cli.io;

/** Whether a person looks on. */
final class Terminal {
    private Terminal() {}

    /** Whether standard input and output are a terminal's. */
    static boolean isThere() {
        return System.console() != null && System.console().isTerminal();
    }
}
