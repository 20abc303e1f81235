package org.torchnnapi.operators.range;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.tensor.DType;

/**
 * Bounds of numbers, both included, infinite where nothing bounds them. NaN lies in every range.
 *
 * @param high no less than {@code low}
 */
public record NumberRange(double low, double high) {
    public static final NumberRange ANY = new NumberRange(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
    public static final NumberRange TRUTH = new NumberRange(0, 1);
    public static final NumberRange INT32 = new NumberRange(Integer.MIN_VALUE, Integer.MAX_VALUE);
    public static final NumberRange INT64 = new NumberRange(Long.MIN_VALUE, Long.MAX_VALUE);
    /** Of sizes, and of places in tensors. */
    static final NumberRange SIZES = new NumberRange(0, Integer.MAX_VALUE);

    public NumberRange {
        if (!(low <= high)) {
            throw new IllegalArgumentException("range: " + low + " to " + high + " (expected: low <= high)");
        }
    }

    public static NumberRange of(double number) {
        return Double.isNaN(number) ? ANY : new NumberRange(number, number);
    }

    /** All that a dtype's numbers can be; of real numbers any. */
    public static NumberRange of(DType dtype) {
        if (dtype == DType.BOOL) {
            return TRUTH;
        }
        if (!dtype.isIntegral()) {
            return ANY;
        }
        double half = Math.scalb(1.0, 8 * dtype.bytes() - 1);
        return dtype == DType.UINT8 ? new NumberRange(0, 2 * half - 1) : new NumberRange(-half, half - 1);
    }

    /** The least range that has all of these; any where one is NaN. */
    public static NumberRange around(double... numbers) {
        double low = Arrays.stream(numbers).min().orElse(Double.NaN);
        double high = Arrays.stream(numbers).max().orElse(Double.NaN);
        return low <= high ? new NumberRange(low, high) : ANY;
    }

    public NumberRange or(NumberRange other) {
        return new NumberRange(Math.min(low, other.low), Math.max(high, other.high));
    }

    NumberRange plus(NumberRange other) {
        return around(low + other.low, high + other.high);
    }

    NumberRange negated() {
        return new NumberRange(-high, -low);
    }

    NumberRange times(NumberRange other) {
        return around(
                product(low, other.low), product(low, other.high), product(high, other.low), product(high, other.high));
    }

    private static double product(double a, double b) {
        return a == 0 || b == 0 ? 0 : a * b;
    }

    /** The least of one of each; {@code most} likewise. */
    NumberRange least(NumberRange other) {
        return new NumberRange(Math.min(low, other.low), Math.min(high, other.high));
    }

    NumberRange most(NumberRange other) {
        return new NumberRange(Math.max(low, other.low), Math.max(high, other.high));
    }

    NumberRange magnitude() {
        double far = Math.max(Math.abs(low), Math.abs(high));
        return new NumberRange(has(0) ? 0 : Math.min(Math.abs(low), Math.abs(high)), far);
    }

    /** @param rising a function that never falls */
    NumberRange through(DoubleUnaryOperator rising) {
        return around(rising.applyAsDouble(low), rising.applyAsDouble(high));
    }

    public boolean has(double number) {
        return low <= number && number <= high;
    }

    public boolean isWithin(NumberRange other) {
        return other.low <= low && high <= other.high;
    }

    boolean isSingle() {
        return low == high;
    }

    /** What these are as numbers of a dtype: real ones are cut off to whole ones, and those beyond it begin anew. */
    public NumberRange as(DType dtype) {
        NumberRange whole = dtype.isIntegral() ? new NumberRange(Math.floor(low), Math.ceil(high)) : this;
        NumberRange all = of(dtype);
        return whole.isWithin(all) ? whole : all;
    }

    /** Such as {@code 0 to 999}. */
    public String text() {
        return isWithin(INT64) && !equals(INT64)
                ? (low == Long.MIN_VALUE ? "any" : String.valueOf((long) low)) + " to " + (long) high
                : "any of 64 bits";
    }
}
