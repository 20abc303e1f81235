package org.torchnnapi.torchscript.interp;

import org.torchnnapi.torchscript.ir.Node;

/** An operator that failed or is unknown; the message names it and its source line. */
public final class OperatorException extends ScriptException {
    private static final long serialVersionUID = 1L;

    private final String kind;

    OperatorException(Node node, String message, Throwable cause) {
        super("RuntimeError", node.kind() + " at " + node.range() + ": " + message, cause);
        this.kind = node.kind();
    }

    /** For example {@code aten::conv2d}. */
    public String kind() {
        return kind;
    }
}
