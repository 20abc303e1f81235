package org.torchnnapi.torchscript.format;

import org.torchnnapi.tensor.platform.Strings;

/**
 * A file is not a readable TorchScript archive, or a value cannot be written into one. The message gives the value
 * found, the rule, and what to do where that is not obvious.
 */
public final class ArchiveException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** Names of a file may be of any length. */
    private static final int MAX_MESSAGE = 1000;

    public ArchiveException(String message) {
        this(message, null);
    }

    public ArchiveException(String message, Throwable cause) {
        super(Strings.beginning(message, MAX_MESSAGE), cause);
    }
}
