package org.torchnnapi.exported.lowering;

import java.util.Map;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;

/** A number of a program that follows from sizes that are left open: what it is called, and how it is computed. */
final class GraphNumber {
    private final Formula whole;
    private final RealFormula real;
    private final long[] base;
    private String name;

    private GraphNumber(Formula whole, RealFormula real, long[] base) {
        this.whole = whole;
        this.real = real;
        this.base = base;
    }

    /** @param base open sizes of the example */
    static GraphNumber of(Formula formula, long... base) {
        return new GraphNumber(formula, null, base);
    }

    /** @param base open sizes of the example */
    static GraphNumber of(RealFormula formula, long... base) {
        return new GraphNumber(null, formula, base);
    }

    /** Null for a real number. */
    Formula whole() {
        return whole;
    }

    /** Null for a whole number. */
    RealFormula real() {
        return real;
    }

    String name() {
        return name;
    }

    void name(String given) {
        name = given;
    }

    Map<String, Object> named() {
        return JsonText.object("as_name", name);
    }

    Map<String, Object> argument() {
        return JsonText.object(real == null ? "as_sym_int" : "as_sym_float", named());
    }

    /** What the table of a graph says of it. */
    Map<String, Object> value() {
        return real == null ? SizeText.size(whole, base) : SizeText.real(real, base);
    }
}
