package org.torchnnapi.converter.compat;

/** Thrown when a node depends on the result of a refused one, about which nothing more can be said. */
final class UnknownOperand extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownOperand() {
        super("operand of a refused node", null, false, false);
    }
}
