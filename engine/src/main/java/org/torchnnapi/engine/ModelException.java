package org.torchnnapi.engine;

import java.util.List;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * A model failed as it ran: it raised an exception, an operator met arguments it does not take, its code is broken, a
 * device failed without another to finish its work, or the thread was interrupted. The message says what and where.
 */
public final class ModelException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ModelException(RuntimeException cause) {
        super(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }

    /**
     * The type of the exception in the original Python, such as {@code builtins.ValueError}; {@code RuntimeError} where
     * the program named none.
     */
    public String pythonType() {
        return getCause() instanceof ScriptException script ? script.pythonType() : "RuntimeError";
    }

    /**
     * Where it happened, as file and line of the original Python as far as the model file says, innermost first; empty
     * if unknown.
     */
    public List<String> places() {
        return getCause() instanceof ScriptException script
                ? script.places().stream().map(Object::toString).collect(Streams.toList())
                : List.of();
    }
}
