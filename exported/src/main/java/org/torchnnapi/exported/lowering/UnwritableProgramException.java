package org.torchnnapi.exported.lowering;

/** A module that cannot be written as a program of torch.export: all that is in the way, and where. */
public final class UnwritableProgramException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnwritableProgramException(String message) {
        super(message);
    }
}
