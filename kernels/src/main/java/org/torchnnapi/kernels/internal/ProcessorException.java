package org.torchnnapi.kernels.internal;

/** The processor lacks what every function of the native library is made of. */
public final class ProcessorException extends UnsupportedOperationException {
    private static final long serialVersionUID = 1;

    /** @param message what it lacks */
    public ProcessorException(String message) {
        super(message);
    }
}
