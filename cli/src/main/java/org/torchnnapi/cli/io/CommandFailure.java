package org.torchnnapi.cli.io;

/** The job a command was asked to do failed; the message is all the user needs. Ends the command with exit code 1. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CommandFailure(String message) {
        super(message);
    }

    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
