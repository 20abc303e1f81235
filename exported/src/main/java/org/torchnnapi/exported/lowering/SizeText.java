package org.torchnnapi.exported.lowering;

import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;

/** Formulas of open sizes as programs write them: SymPy's own text of an expression, and Python's in guards. */
final class SizeText {
    private static final int FLOAT_BITS = 53;

    private SizeText() {}

    /** A size in a table of a graph. */
    static Map<String, Object> size(Formula formula, SymbolValues symbols) {
        long value = formula.of(symbols.example());
        Map<String, Object> hint = JsonText.object("as_int", value);
        return formula instanceof Formula.Number
                ? hint
                : expression(sympy(formula, symbols), symbols.isBacked(formula) ? hint : null);
    }

    /** @see #size */
    static Map<String, Object> real(RealFormula formula, SymbolValues symbols) {
        String factor = "Float('" + formula.factor() + "', precision=" + FLOAT_BITS + ")";
        String of = "ToFloat(" + sympy(formula.of(), symbols) + ")";
        return expression(
                formula.divides() ? "FloatTrueDiv(" + factor + ", " + of + ")" : "Mul(" + factor + ", " + of + ")",
                symbols.isBacked(formula.of()) ? JsonText.object("as_float", formula.of(symbols.example())) : null);
    }

    /** @param hint the value in the example; null where elements decide it, as PyTorch has none then */
    private static Map<String, Object> expression(String text, Map<String, Object> hint) {
        return JsonText.object("as_expr", JsonText.object("expr_str", text, "hint", hint));
    }

    private static String sympy(Formula formula, SymbolValues symbols) {
        if (formula instanceof Formula.OpenSize size) {
            String facts = symbols.isBacked(size.index()) ? "positive=True, integer=True" : "integer=True";
            return "Symbol('" + symbols.name(size.index()) + "', " + facts + ")";
        }
        if (formula instanceof Formula.Number number) {
            return "Integer(" + number.value() + ")";
        }
        if (formula instanceof Formula.Sum sum) {
            return "Add(" + sympy(sum.left(), symbols) + ", " + sympy(sum.right(), symbols) + ")";
        }
        if (formula instanceof Formula.Product product) {
            return "Mul(" + sympy(product.left(), symbols) + ", " + sympy(product.right(), symbols) + ")";
        }
        Formula.Quotient quotient = (Formula.Quotient) formula;
        return "FloorDiv(" + sympy(quotient.dividend(), symbols) + ", Integer(" + quotient.divisor() + "))";
    }

    /** As Python computes it. */
    static String python(Formula formula, IntFunction<String> sizes) {
        if (formula instanceof Formula.OpenSize size) {
            return sizes.apply(size.index());
        }
        if (formula instanceof Formula.Number number) {
            return String.valueOf(number.value());
        }
        if (formula instanceof Formula.Sum sum) {
            return joined(" + ", List.of(sum.left(), sum.right()), sizes);
        }
        if (formula instanceof Formula.Product product) {
            return joined(" * ", List.of(product.left(), product.right()), sizes);
        }
        Formula.Quotient quotient = (Formula.Quotient) formula;
        return joined(" // ", List.of(quotient.dividend(), new Formula.Number(quotient.divisor())), sizes);
    }

    private static String joined(String operator, List<Formula> parts, IntFunction<String> sizes) {
        return "(" + python(parts.get(0), sizes) + operator + python(parts.get(1), sizes) + ")";
    }
}
