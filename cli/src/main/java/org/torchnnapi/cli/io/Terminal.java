package org.torchnnapi.cli.io;

import java.io.Console;
import java.lang.reflect.InvocationTargetException;

/** Whether a person looks on. */
final class Terminal {
    private Terminal() {}

    /**
     * Whether standard input and output are a terminal's. Since Java 22 there is a console for others too, which says
     * what it is; on Android and before, one that is there is a terminal.
     */
    static boolean isThere() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("console: does not say whether it is a terminal", e);
        }
    }
}
