package org.torchnnapi.cli.io;

import java.io.IOException;
import java.util.function.Supplier;

/** The job a command was asked to do failed; the message is all the user needs. Ends the command with exit code 1. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CommandFailure(String message) {
        super(message);
    }

    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /** Whether an exception tells users something that they can do something about; others are defects of ours. */
    public static boolean isTold(Exception exception) {
        boolean expected = exception instanceof CommandFailure
                || exception instanceof IOException
                || exception instanceof IllegalArgumentException
                || exception.getClass().getName().startsWith("org.torchnnapi.");
        return expected && exception.getMessage() != null;
    }

    /**
     * Does a part of a command's work that is done for each of several models.
     *
     * @param subject which of them it is
     * @throws CommandFailure what the work throws and users are told, with the subject before it
     */
    public static <T> T naming(String subject, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            throw isTold(e) ? new CommandFailure(subject + ": " + e.getMessage(), e) : e;
        }
    }
}
