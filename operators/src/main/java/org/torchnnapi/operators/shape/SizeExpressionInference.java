package org.torchnnapi.operators.shape;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.torchnnapi.tensor.platform.Interruption;

/**
 * Finds formulas for numbers of which the values are known for several sizes of a model's inputs. Numbers follow from
 * one another: what was found is looked at first, the latest before the others, so that the size of what an operation
 * returns is found as that of what it takes, a few windows later, and not as something of the whole model. A formula
 * counts only where the values admit no other of its kind. Not thread-safe.
 */
public final class SizeExpressionInference {
    private static final int MOST_DIVISOR = 512;
    private static final int MOST_FACTOR = 8;
    /** Factors this near to a whole number are it. */
    private static final double WHOLE = 1e-6;
    /** Whole numbers below are told apart in float32. */
    private static final double EXACT = 1 << 24;
    /**
     * Into how many parts ones are divided, by halves, to find whole numbers of them: what shifts or scales by such is
     * exact.
     */
    private static final int MOST_PARTS = 64;
    /** Numbers found before that are looked at, beside the open sizes. */
    private static final int NEAR = 24;

    /** Values of a number, one a sample. */
    private record Row(long... values) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Row row && Arrays.equals(values, row.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }

        private boolean isConstant() {
            return Arrays.stream(values).allMatch(value -> value == values[0]);
        }
    }

    private final long[][] samples;
    private final Map<Row, Formula> known = new LinkedHashMap<>();
    private final List<Row> order = new ArrayList<>();
    private final int open;

    /** @param samples of each sample the open sizes; no two alike */
    public SizeExpressionInference(long[][] samples) {
        this.samples = Arrays.stream(samples).map(long[]::clone).toArray(long[][]::new);
        this.open = samples[0].length;
        for (int i = 0; i < open; i++) {
            int index = i;
            note(
                    new Row(Arrays.stream(samples)
                            .mapToLong(sample -> sample[index])
                            .toArray()),
                    new Formula.OpenSize(i));
        }
    }

    /**
     * The formula of a number, which is remembered.
     *
     * @param values one a sample
     * @param guesses formulas that it may have, looked at first
     * @return null where none was found
     */
    public Formula of(long[] values, List<Formula> guesses) {
        Row row = new Row(values.clone());
        Formula guessed =
                guesses.stream().filter(guess -> fits(guess, row)).findFirst().orElse(null);
        if (row.isConstant()) {
            return guessed != null ? guessed : new Formula.Number(values[0]);
        }
        Formula found = known.get(row);
        if (found == null) {
            found = guessed != null ? guessed : search(row);
            if (found != null) {
                note(row, found);
            }
        }
        return found;
    }

    /** Remembers a formula, for numbers that follow from it. */
    public void note(Formula formula) {
        Row row = new Row(Arrays.stream(samples).mapToLong(formula::of).toArray());
        if (!row.isConstant() && !known.containsKey(row)) {
            note(row, formula);
        }
    }

    private void note(Row row, Formula formula) {
        if (known.putIfAbsent(row, formula) == null) {
            order.add(row);
        }
    }

    private boolean fits(Formula formula, Row row) {
        return IntStream.range(0, samples.length).allMatch(i -> formula.of(samples[i]) == row.values[i]);
    }

    private Formula search(Row row) {
        Interruption.check();
        List<Row> near = new ArrayList<>();
        for (int i = order.size() - 1; i >= open && near.size() < NEAR; i--) {
            near.add(order.get(i));
        }
        near.addAll(order.subList(0, open));
        List<Row> all = new ArrayList<>(near);
        for (int i = order.size() - 1 - NEAR; i >= open; i--) {
            all.add(order.get(i));
        }
        Formula found = first(all, from -> affine(row, from));
        found = found != null ? found : first(all, from -> proportional(row, from));
        found = found != null ? found : first(near, from -> window(row, from));
        found = found != null ? found : first(near, from -> remainder(row, from));
        found = found != null ? found : first(near, from -> product(row, from, all));
        found = found != null ? found : first(near, from -> part(row, from, near));
        found = found != null ? found : first(near, from -> sum(row, from, near));
        found = found != null ? found : first(near, from -> ratio(row, from));
        return found != null ? found : inSteps(row, near);
    }

    /** {@code a * ((from + c) / m) + b}, as of what is filled up to whole windows. */
    private Formula inSteps(Row row, List<Row> near) {
        BigInteger step = BigInteger.ZERO;
        for (long value : row.values) {
            step = step.gcd(BigInteger.valueOf(value - row.values[0]));
        }
        long factor = step.longValue();
        if (factor <= 1) {
            return null;
        }
        Row steps = new Row(Arrays.stream(row.values)
                .map(value -> (value - row.values[0]) / factor)
                .toArray());
        Formula found = first(near, from -> window(steps, from));
        return found == null ? null : Formula.plus(Formula.times(found, factor), row.values[0]);
    }

    private static Formula first(List<Row> rows, Function<Row, Formula> search) {
        for (Row row : rows) {
            Formula found = search.apply(row);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** {@code a * from + b}. */
    private Formula affine(Row row, Row from) {
        long[] line = line(row.values, from.values);
        return line == null ? null : Formula.plus(Formula.times(known.get(from), line[0]), line[1]);
    }

    /** The factor and the summand of a line through all points, or null. */
    private static long[] line(long[] y, long... x) {
        int other = 1;
        while (other < x.length && x[other] == x[0]) {
            other++;
        }
        if (other == x.length || (y[other] - y[0]) % (x[other] - x[0]) != 0) {
            return null;
        }
        long factor = (y[other] - y[0]) / (x[other] - x[0]);
        long summand = y[0] - factor * x[0];
        for (int i = 0; i < x.length; i++) {
            if (y[i] != factor * x[i] + summand) {
                return null;
            }
        }
        return new long[] {factor, summand};
    }

    /** {@code (p * from + c) / m} without a rest: only such sizes were tried, and are asked for. */
    private Formula proportional(Row row, Row from) {
        int other = 1;
        while (other < row.values.length && from.values[other] == from.values[0]) {
            other++;
        }
        if (other == row.values.length) {
            return null;
        }
        long p = row.values[other] - row.values[0];
        long m = from.values[other] - from.values[0];
        long common = Math.max(
                        1,
                        Math.abs(
                                BigInteger.valueOf(p).gcd(BigInteger.valueOf(m)).longValue()))
                * (m < 0 ? -1 : 1);
        p /= common;
        m /= common;
        long summand = m * row.values[0] - p * from.values[0];
        for (int i = 0; i < row.values.length; i++) {
            if (m * row.values[i] != p * from.values[i] + summand) {
                return null;
            }
        }
        return Formula.over(Formula.plus(Formula.times(known.get(from), p), summand), m);
    }

    /** {@code (from + c) / m}, rounded down. */
    private Formula window(Row row, Row from) {
        return quotient(row, from, 1);
    }

    /** {@code (p * from + c) / m}, rounded down, of a small p. */
    private Formula ratio(Row row, Row from) {
        for (int factor = -1; factor <= MOST_FACTOR; factor++) {
            Formula found = factor == 0 || factor == 1 ? null : quotient(row, from, factor);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private Formula quotient(Row row, Row from, int factor) {
        Formula found = null;
        for (long m = 2; m <= MOST_DIVISOR; m++) {
            long divisor = m;
            long least = extreme(row, i -> factor * from.values[i] - row.values[i] * divisor, true);
            long most = extreme(row, i -> factor * from.values[i] - row.values[i] * divisor, false);
            if (most - least >= m) {
                continue;
            }
            // The values of c run from -least to m - 1 - most. Where they are several, or those of m, other sizes would
            // tell which it is.
            if (found != null || most - least < m - 1) {
                return null;
            }
            found = Formula.over(Formula.plus(Formula.times(known.get(from), factor), -least), m);
        }
        return found;
    }

    private static long extreme(Row row, IntToLongFunction value, boolean least) {
        LongStream all = IntStream.range(0, row.values.length).mapToLong(value);
        return least ? all.min().getAsLong() : all.max().getAsLong();
    }

    /** What is left of {@code from}, or lacks of it, to a multiple of a number. */
    private Formula remainder(Row row, Row from) {
        long most = Arrays.stream(row.values).max().getAsLong();
        if (Arrays.stream(row.values).min().getAsLong() < 0) {
            return null;
        }
        for (int sign : new int[] {1, -1}) {
            Formula found = null;
            boolean several = false;
            for (long m = Math.max(2, most + 1); m <= MOST_DIVISOR; m++) {
                long divisor = m;
                long rest = Math.floorMod(row.values[0] - sign * from.values[0], divisor);
                ToLongFunction<Integer> made = i -> Math.floorMod(sign * from.values[i] + rest, divisor);
                if (IntStream.range(0, row.values.length).allMatch(i -> made.applyAsLong(i) == row.values[i])) {
                    Formula dividend = Formula.plus(Formula.times(known.get(from), sign), rest);
                    several = found != null;
                    found = Formula.sum(dividend, Formula.times(Formula.over(dividend, m), -m));
                }
            }
            if (found != null && !several) {
                return found;
            }
        }
        return null;
    }

    /** {@code from * (a * other + b) + c}, of numbers that were found before. */
    private Formula product(Row row, Row from, List<Row> others) {
        for (long summand : new long[] {0, 1, -1, 2}) {
            long[] quotients = new long[row.values.length];
            boolean divides = true;
            for (int i = 0; divides && i < quotients.length; i++) {
                divides = from.values[i] != 0 && (row.values[i] - summand) % from.values[i] == 0;
                quotients[i] = divides ? (row.values[i] - summand) / from.values[i] : 0;
            }
            if (!divides) {
                continue;
            }
            for (Row other : others) {
                long[] line = line(quotients, other.values);
                if (line != null) {
                    return Formula.plus(
                            new Formula.Product(
                                    known.get(from), Formula.plus(Formula.times(known.get(other), line[0]), line[1])),
                            summand);
                }
            }
        }
        return null;
    }

    /** {@code p * from * other / m} without a rest, as of sizes each of which a window shares. */
    private Formula part(Row row, Row from, List<Row> others) {
        for (Row other : others) {
            long first = from.values[0] * other.values[0];
            if (first <= 0 || row.values[0] <= 0) {
                continue;
            }
            boolean fits = true;
            for (int i = 1; fits && i < row.values.length; i++) {
                fits = row.values[i] * first == row.values[0] * (from.values[i] * other.values[i]);
            }
            if (fits) {
                long common = BigInteger.valueOf(row.values[0])
                        .gcd(BigInteger.valueOf(first))
                        .longValue();
                return Formula.over(
                        Formula.times(new Formula.Product(known.get(from), known.get(other)), row.values[0] / common),
                        first / common);
            }
        }
        return null;
    }

    /** {@code p * from + a * other + b}. */
    private Formula sum(Row row, Row from, List<Row> others) {
        for (int factor : new int[] {1, -1, 2, -2}) {
            long[] rest = new long[row.values.length];
            for (int i = 0; i < rest.length; i++) {
                rest[i] = row.values[i] - factor * from.values[i];
            }
            for (Row other : others) {
                long[] line = line(rest, other.values);
                if (line != null) {
                    return Formula.sum(
                            Formula.plus(Formula.times(known.get(other), line[0]), line[1]),
                            Formula.times(known.get(from), factor));
                }
            }
        }
        return null;
    }

    /**
     * A real number that is a whole one with a formula, or halves, quarters and so on of one, such as the middle of a
     * picture, or some factor times a known number, or divided by one, or by the product of two.
     *
     * @param single whether the values were rounded to float32
     * @return null where there is none
     */
    public RealFormula real(double[] values, boolean single) {
        for (int parts = 1; parts <= MOST_PARTS; parts *= 2) {
            int all = parts;
            if (Arrays.stream(values)
                    .map(value -> value * all)
                    .allMatch(value -> value == Math.rint(value) && Math.abs(value) < EXACT)) {
                Formula whole = of(
                        Arrays.stream(values)
                                .mapToLong(value -> (long) (value * all))
                                .toArray(),
                        List.of());
                if (whole != null) {
                    return new RealFormula(1.0 / all, whole, false);
                }
                break;
            }
        }
        List<Formula> numbers = new ArrayList<>();
        for (int i = order.size() - 1; i >= 0; i--) {
            numbers.add(known.get(order.get(i)));
        }
        int count = Math.min(numbers.size(), NEAR);
        for (int i = 0; i < open; i++) {
            for (int k = 0; k <= i; k++) {
                numbers.add(new Formula.Product(new Formula.OpenSize(i), new Formula.OpenSize(k)));
            }
        }
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < i; k++) {
                numbers.add(new Formula.Product(numbers.get(i), numbers.get(k)));
            }
        }
        for (Formula number : numbers) {
            for (boolean divides : new boolean[] {true, false}) {
                double of = number.of(samples[0]);
                double factor = divides ? values[0] * of : values[0] / of;
                double whole = Math.rint(factor);
                factor = whole != 0 && Math.abs(factor - whole) < WHOLE * Math.abs(whole) ? whole : factor;
                RealFormula formula = new RealFormula(factor, number, divides);
                if (of != 0
                        && IntStream.range(0, values.length)
                                .allMatch(i -> single
                                        ? (float) formula.of(samples[i]) == (float) values[i]
                                        : formula.of(samples[i]) == values[i])) {
                    return formula;
                }
            }
        }
        return null;
    }
}
