package org.torchnnapi.torchscript.format;

/**
 * A file is not a readable TorchScript archive, or a value cannot be written into one. The message gives the value found,
 * the rule, and what to do where that is not obvious.
 */
public final class ArchiveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ArchiveException(String message) {
        super(message);
    }

    public ArchiveException(String message, Throwable cause) {
        super(message, cause);
    }
}
