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

    /** What an open size is called. */
    static String symbol(int number) {
        return "s" + number;
    }

    /**
     * A size in a table of a graph.
     *
     * @param base open sizes of the example
     */
    static Map<String, Object> size(Formula formula, long... base) {
        long hint = formula.of(base);
        return formula instanceof Formula.Number
                ? JsonText.object("as_int", hint)
                : expression(sympy(formula), JsonText.object("as_int", hint));
    }

    /** @see #size */
    static Map<String, Object> real(RealFormula formula, long... base) {
        String factor = "Float('" + formula.factor() + "', precision=" + FLOAT_BITS + ")";
        String of = "ToFloat(" + sympy(formula.of()) + ")";
        return expression(
                formula.divides() ? "FloatTrueDiv(" + factor + ", " + of + ")" : "Mul(" + factor + ", " + of + ")",
                JsonText.object("as_float", formula.of(base)));
    }

    private static Map<String, Object> expression(String text, Map<String, Object> hint) {
        return JsonText.object("as_expr", JsonText.object("expr_str", text, "hint", hint));
    }

    private static String sympy(Formula formula) {
        if (formula instanceof Formula.OpenSize size) {
            return "Symbol('" + symbol(size.index()) + "', positive=True, integer=True)";
        }
        if (formula instanceof Formula.Number number) {
            return "Integer(" + number.value() + ")";
        }
        if (formula instanceof Formula.Sum sum) {
            return "Add(" + sympy(sum.left()) + ", " + sympy(sum.right()) + ")";
        }
        if (formula instanceof Formula.Product product) {
            return "Mul(" + sympy(product.left()) + ", " + sympy(product.right()) + ")";
        }
        Formula.Quotient quotient = (Formula.Quotient) formula;
        return "FloorDiv(" + sympy(quotient.dividend()) + ", Integer(" + quotient.divisor() + "))";
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
