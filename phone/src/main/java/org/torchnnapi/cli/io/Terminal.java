package org.torchnnapi.cli.io;

/** In place of the command's own: Android's consoles are always terminals. */
final class Terminal {
    private Terminal() {}

    static boolean isThere() {
        return System.console() != null;
    }
}
