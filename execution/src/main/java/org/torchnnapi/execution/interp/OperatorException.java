package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.value.ScriptException;

/** An operator that failed or is unknown; the message names it and its source line. */
public final class OperatorException extends ScriptException {
    private static final long serialVersionUID = 1L;

    private final String kind;

    OperatorException(Node node, SourceRange place, String message, Throwable cause) {
        super("RuntimeError", node.kind() + " at " + place + ": " + message, cause);
        this.kind = node.kind();
    }

    /** For example {@code aten::conv2d}. */
    public String kind() {
        return kind;
    }
}
