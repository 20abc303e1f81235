package org.torchnnapi.torchscript.value;

/**
 * An exception that the program itself raised, by {@code raise} in the original Python: its message is the program's.
 */
public final class RaisedException extends ScriptException {
    private static final long serialVersionUID = 1L;

    /** @param pythonType for example {@code builtins.ValueError} */
    public RaisedException(String pythonType, String message) {
        super(pythonType, message);
    }
}
