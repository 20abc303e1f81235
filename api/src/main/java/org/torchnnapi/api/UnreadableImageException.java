package org.torchnnapi.api;

import java.io.IOException;

/** A picture that is damaged, of a kind that nobody here reads, or too large. */
public final class UnreadableImageException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param message what is wrong, and what is expected */
    public UnreadableImageException(String message) {
        super(message);
    }

    public UnreadableImageException(String message, Throwable cause) {
        super(message, cause);
    }
}
