package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.torchscript.ir.SourceRange;

/** What open sizes of a program have to be: a range of each, and conditions. Confined to one thread. */
final class SizeConditions {
    /** A sum of multiples of open sizes, and a number. */
    private record Linear(long[] factors, long sum) {}

    /**
     * A condition on what elements decide, which the program checks as it runs.
     *
     * @param before number of the recorded call that it is checked before
     * @param place of what follows from it
     */
    record Check(NumberFacts.Kind kind, Formula left, Formula right, int before, SourceRange place) {
        boolean holds(long... symbols) {
            return kind.holds(left.of(symbols), right.of(symbols));
        }
    }

    private final SymbolValues symbols;
    private final long[] least;
    private final long[] most;
    private final IntFunction<String> sizes;
    private final Set<String> guards = new LinkedHashSet<>();
    private final List<Check> checks = new ArrayList<>();

    /** @param sizes each that is read of the arguments, as Python reads it */
    SizeConditions(SymbolValues symbols, IntFunction<String> sizes) {
        this.symbols = symbols;
        this.least = new long[symbols.example().length];
        this.most = new long[least.length];
        Arrays.fill(most, Long.MAX_VALUE);
        this.sizes = sizes;
    }

    void range(int symbol, long lowest, long highest) {
        least[symbol] = Math.max(least[symbol], lowest);
        most[symbol] = Math.min(most[symbol], highest);
    }

    /**
     * A comparison holds.
     *
     * @param before number of the recorded call that follows from it
     */
    void compares(NumberFacts.Kind kind, Formula left, Formula right, int before, SourceRange place) {
        Linear difference = linear(left, right);
        if (difference != null && Arrays.stream(difference.factors()).allMatch(factor -> factor == 0)) {
            return;
        }
        if (!symbols.isBacked(left) || !symbols.isBacked(right)) {
            checks.add(new Check(kind, left, right, before, place));
        } else if (difference == null || !ranged(kind, difference)) {
            guards.add(text(left) + " " + kind.python() + " " + text(right));
        }
    }

    /**
     * A quotient or a rest is the same in each call.
     *
     * @return whether that can be said
     */
    boolean gives(NumberFacts.Kind kind, Formula left, Formula right, long result, int before, SourceRange place) {
        if (symbols.isBacked(left) && symbols.isBacked(right)) {
            guards.add("(" + text(left) + " " + kind.python() + " " + text(right) + ") == " + result);
            return true;
        }
        if (!(right instanceof Formula.Number divisor) || divisor.value() < 1) {
            return false;
        }
        Formula quotient = Formula.over(left, divisor.value());
        Formula given = kind == NumberFacts.Kind.QUOTIENT
                ? quotient
                : Formula.sum(left, Formula.times(quotient, -divisor.value()));
        checks.add(new Check(NumberFacts.Kind.EQ, given, new Formula.Number(result), before, place));
        return true;
    }

    /** Conditions that the program checks as it runs. */
    List<Check> checks() {
        return checks;
    }

    private String text(Formula formula) {
        return SizeText.python(formula, sizes);
    }

    /** Whether a condition on a sum is one on a single size. */
    private boolean ranged(NumberFacts.Kind kind, Linear sum) {
        int[] open = java.util.stream.IntStream.range(0, least.length)
                .filter(k -> sum.factors()[k] != 0)
                .toArray();
        if (open.length != 1) {
            return false;
        }
        long factor = sum.factors()[open[0]];
        NumberFacts.Kind of = factor < 0 ? kind.turned() : kind;
        // The size compared with a fraction.
        long dividend = factor < 0 ? sum.sum() : -sum.sum();
        long divisor = Math.abs(factor);
        switch (of) {
            case LT -> range(open[0], 0, Math.floorDiv(dividend - 1, divisor));
            case LE -> range(open[0], 0, Math.floorDiv(dividend, divisor));
            case GT -> range(open[0], Math.floorDiv(dividend, divisor) + 1, Long.MAX_VALUE);
            case GE -> range(open[0], Math.floorDiv(dividend + divisor - 1, divisor), Long.MAX_VALUE);
            default -> {
                return false;
            }
        }
        return true;
    }

    private Linear linear(Formula left, Formula right) {
        Linear one = linear(left);
        Linear other = linear(right);
        return one == null || other == null ? null : sum(one, other, -1);
    }

    private Linear linear(Formula formula) {
        if (formula instanceof Formula.Number number) {
            return new Linear(new long[least.length], number.value());
        }
        if (formula instanceof Formula.OpenSize size) {
            long[] factors = new long[least.length];
            factors[size.index()] = 1;
            return new Linear(factors, 0);
        }
        if (formula instanceof Formula.Sum both) {
            Linear left = linear(both.left());
            Linear right = linear(both.right());
            return left == null || right == null ? null : sum(left, right, 1);
        }
        if (formula instanceof Formula.Product both && both.right() instanceof Formula.Number number) {
            Linear left = linear(both.left());
            return left == null ? null : sum(new Linear(new long[least.length], 0), left, number.value());
        }
        return null;
    }

    private static Linear sum(Linear left, Linear right, long times) {
        long[] factors = left.factors().clone();
        Arrays.setAll(factors, k -> factors[k] + times * right.factors()[k]);
        return new Linear(factors, left.sum() + times * right.sum());
    }

    Map<String, Object> ranges() {
        Map<String, Object> ranges = new LinkedHashMap<>();
        for (int k = 0; k < least.length; k++) {
            Object highest = most[k] == Long.MAX_VALUE ? null : (Object) most[k];
            ranges.put(symbols.name(k), JsonText.object("min_val", least[k], "max_val", highest));
        }
        return ranges;
    }

    List<Object> guards() {
        List<Object> all = new ArrayList<>(guards);
        for (int k = 0; k < symbols.backed(); k++) {
            String size = sizes.apply(k);
            // PyTorch checks the range of a symbol where a size is that, and no multiple of it.
            boolean computed = size.startsWith("(");
            if (computed && least[k] > 0) {
                all.add(size + " >= " + least[k]);
            }
            if (computed && most[k] < Long.MAX_VALUE) {
                all.add(size + " <= " + most[k]);
            }
        }
        return all;
    }
}
