package org.torchnnapi.operators.builtin;

import org.torchnnapi.torchscript.value.Complex;

/** Arithmetic of Python's numbers: Long, Double and {@link Complex}; the wider type of two operands decides. */
final class PythonNumbers {
    /** One operation for each kind of operands. */
    interface Longs {
        Object apply(long a, long b);
    }

    interface Doubles {
        Object apply(double a, double b);
    }

    interface Complexes {
        Object apply(Complex a, Complex b);
    }

    private PythonNumbers() {}

    /** @param complexes null if the operation knows no complex numbers */
    static Object binary(Object a, Object b, Longs longs, Doubles doubles, Complexes complexes) {
        if (a instanceof Complex || b instanceof Complex) {
            if (complexes == null) {
                throw new IllegalArgumentException("operand: " + a + ", " + b + " (expected: real numbers)");
            }
            return complexes.apply(complex(a), complex(b));
        }
        if (a instanceof Double || b instanceof Double) {
            return doubles.apply(real(a), real(b));
        }
        return longs.apply(integer(a), integer(b));
    }

    static double real(Object value) {
        if (value instanceof Boolean b) {
            return b ? 1 : 0;
        }
        if (value instanceof Number n) {
            return n.doubleValue();
        }
        throw new IllegalArgumentException("operand: " + value + " (expected: a real number)");
    }

    static long integer(Object value) {
        if (value instanceof Boolean b) {
            return b ? 1 : 0;
        }
        if (value instanceof Long n) {
            return n;
        }
        throw new IllegalArgumentException("operand: " + value + " (expected: an int)");
    }

    static Complex complex(Object value) {
        return value instanceof Complex c ? c : new Complex(real(value), 0);
    }

    static Complex multiply(Complex a, Complex b) {
        return new Complex(
                a.real() * b.real() - a.imaginary() * b.imaginary(),
                a.real() * b.imaginary() + a.imaginary() * b.real());
    }

    static Complex divide(Complex a, Complex b) {
        double norm = b.real() * b.real() + b.imaginary() * b.imaginary();
        return new Complex(
                (a.real() * b.real() + a.imaginary() * b.imaginary()) / norm,
                (a.imaginary() * b.real() - a.real() * b.imaginary()) / norm);
    }

    /** Division of whole numbers that rounds down. */
    static long floorDiv(long a, long b) {
        return Math.floorDiv(a, nonZero(b));
    }

    static long floorMod(long a, long b) {
        return Math.floorMod(a, nonZero(b));
    }

    /** The rest that {@code divmod} gives: of the divisor's sign. */
    static double floorMod(double a, double b) {
        double rest = a % b;
        return rest != 0 && rest < 0 != b < 0 ? rest + b : rest;
    }

    /**
     * The rest that {@code %} gives, which for infinite divisors is NaN, and 0 where the divisor takes all of a small
     * negative number's digits.
     */
    static double remainder(double a, double b) {
        return (b + a % b) % b;
    }

    static long nonZero(long divisor) {
        if (divisor == 0) {
            throw new IllegalArgumentException("division by 0 (expected: a divisor other than 0)");
        }
        return divisor;
    }
}
