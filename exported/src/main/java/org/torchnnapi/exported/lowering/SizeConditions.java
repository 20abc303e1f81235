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

/** What open sizes of a program have to be: a range of each, and conditions. Confined to one thread. */
final class SizeConditions {
    /** A sum of multiples of open sizes, and a number. */
    private record Linear(long[] factors, long sum) {}

    private final long[] least;
    private final long[] most;
    private final IntFunction<String> sizes;
    private final Set<String> guards = new LinkedHashSet<>();

    /**
     * @param count of open sizes
     * @param sizes each as Python reads it of the arguments
     */
    SizeConditions(int count, IntFunction<String> sizes) {
        this.least = new long[count];
        this.most = new long[count];
        Arrays.fill(most, Long.MAX_VALUE);
        this.sizes = sizes;
    }

    void range(int symbol, long lowest, long highest) {
        least[symbol] = Math.max(least[symbol], lowest);
        most[symbol] = Math.min(most[symbol], highest);
    }

    /** A comparison holds. */
    void compares(NumberFacts.Kind kind, Formula left, Formula right) {
        Linear difference = linear(left, right);
        if (difference == null || !ranged(kind, difference)) {
            guards.add(text(left) + " " + kind.python() + " " + text(right));
        }
    }

    /** A quotient or a rest is the same in each call. */
    void gives(NumberFacts.Kind kind, Formula left, Formula right, long result) {
        guards.add("(" + text(left) + " " + kind.python() + " " + text(right) + ") == " + result);
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
            ranges.put(SizeText.symbol(k), JsonText.object("min_val", least[k], "max_val", highest));
        }
        return ranges;
    }

    List<Object> guards() {
        List<Object> all = new ArrayList<>(guards);
        for (int k = 0; k < least.length; k++) {
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
