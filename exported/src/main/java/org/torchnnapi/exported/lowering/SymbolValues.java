package org.torchnnapi.exported.lowering;

import org.torchnnapi.operators.shape.Formula;

/**
 * The symbols of a program, by number: first those that sizes of arguments are, then those of numbers that elements
 * decide, which torch.export calls unbacked.
 *
 * @param example their values in the example
 * @param backed how many are read of the arguments
 */
record SymbolValues(long[] example, int backed) {
    boolean isBacked(int symbol) {
        return symbol < backed;
    }

    /** Whether a formula is one of sizes of the arguments. */
    boolean isBacked(Formula formula) {
        if (formula instanceof Formula.Sum both) {
            return isBacked(both.left()) && isBacked(both.right());
        }
        if (formula instanceof Formula.Product both) {
            return isBacked(both.left()) && isBacked(both.right());
        }
        if (formula instanceof Formula.Quotient quotient) {
            return isBacked(quotient.dividend());
        }
        return !(formula instanceof Formula.OpenSize size) || isBacked(size.index());
    }

    /** What a program calls it. */
    String name(int symbol) {
        return isBacked(symbol) ? "s" + symbol : "u" + (symbol - backed);
    }
}
