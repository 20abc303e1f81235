package org.torchnnapi.exported.lowering;

import java.util.Map;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;

/** A number of a program that follows from sizes that are left open: what it is called, and how it is computed. */
final class GraphNumber {
    private final Formula whole;
    private final RealFormula real;
    private final SymbolValues symbols;
    private String name;

    private GraphNumber(Formula whole, RealFormula real, SymbolValues symbols) {
        this.whole = whole;
        this.real = real;
        this.symbols = symbols;
    }

    static GraphNumber of(Formula formula, SymbolValues symbols) {
        return new GraphNumber(formula, null, symbols);
    }

    static GraphNumber of(RealFormula formula, SymbolValues symbols) {
        return new GraphNumber(null, formula, symbols);
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
        return real == null ? SizeText.size(whole, symbols) : SizeText.real(real, symbols);
    }
}
