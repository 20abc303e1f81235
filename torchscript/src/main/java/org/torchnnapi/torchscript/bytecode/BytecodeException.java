package org.torchnnapi.torchscript.bytecode;

/** Byte code that is damaged or uses what mobile PyTorch does not accept. */
public final class BytecodeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public BytecodeException(String message) {
        super(message);
    }

    public BytecodeException(String message, Throwable cause) {
        super(message, cause);
    }
}
