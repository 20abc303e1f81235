package org.torchnnapi.operators.shape;

import java.util.Objects;

/**
 * A whole number that follows from the sizes that a model's inputs leave open. Immutable; numbers are 64-bit and do not
 * overflow for sizes of tensors.
 */
public sealed interface Formula {
    /** The value for sizes, one an open size. */
    long of(long... sizes);

    /** The open size of a number. */
    record OpenSize(int index) implements Formula {
        @Override
        public long of(long... sizes) {
            return sizes[index];
        }
    }

    record Number(long value) implements Formula {
        @Override
        public long of(long... sizes) {
            return value;
        }
    }

    record Sum(Formula left, Formula right) implements Formula {
        @Override
        public long of(long... sizes) {
            return left.of(sizes) + right.of(sizes);
        }
    }

    record Product(Formula left, Formula right) implements Formula {
        @Override
        public long of(long... sizes) {
            return left.of(sizes) * right.of(sizes);
        }
    }

    /** Rounded down; the divisor is positive. */
    record Quotient(Formula dividend, long divisor) implements Formula {
        public Quotient {
            if (divisor < 1) {
                throw new IllegalArgumentException("divisor: " + divisor + " (expected: a positive one)");
            }
        }

        @Override
        public long of(long... sizes) {
            return Math.floorDiv(dividend.of(sizes), divisor);
        }
    }

    /** The size's own name where it is one, or a number that is said in words of them. */
    static Formula plus(Formula formula, long number) {
        return number == 0
                ? formula
                : formula instanceof Number known
                        ? new Number(known.value() + number)
                        : new Sum(formula, new Number(number));
    }

    static Formula times(Formula formula, long factor) {
        return factor == 1
                ? formula
                : formula instanceof Number known
                        ? new Number(known.value() * factor)
                        : new Product(formula, new Number(factor));
    }

    static Formula over(Formula formula, long divisor) {
        return divisor == 1
                ? formula
                : formula instanceof Number known
                        ? new Number(Math.floorDiv(known.value(), divisor))
                        : new Quotient(formula, divisor);
    }

    /** A sum, without what is zero. */
    static Formula sum(Formula left, Formula right) {
        return right instanceof Number number
                ? plus(left, number.value())
                : new Sum(Objects.requireNonNull(left), right);
    }
}
