package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Fractions and exponents of floating point numbers, and common divisors and multiples of whole ones. */
public final class FloatParts implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", a -> new Object[] {
            Pointwise.unary(tensor(a, 0), tensor(a, 0).dtype(), x -> finite(x) ? x / Math.scalb(1.0, exponent(x)) : x),
            Pointwise.unary(tensor(a, 0), DType.INT32, FloatParts::exponent)
        });
        r.op(
                "aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
                a -> BinaryOps.multiply(
                        tensor(a, 0),
                        tensor(a, 1).dtype().isComplex()
                                ? ComplexOperators.power(2.0, tensor(a, 1))
                                : Pointwise.unary(tensor(a, 1).contiguous(), x -> Math.pow(2, x))));
        r.composite(
                "aten::ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                "return torch.mul_(self, torch.pow(2., other))");
        r.op("aten::gcd(Tensor self, Tensor other) -> Tensor", a -> whole("gcd", tensor(a, 0), tensor(a, 1), false));
        r.op("aten::lcm(Tensor self, Tensor other) -> Tensor", a -> whole("lcm", tensor(a, 0), tensor(a, 1), true));
    }

    private static boolean finite(double x) {
        return x != 0 && !Double.isNaN(x) && !Double.isInfinite(x);
    }

    /** Such that the fraction is from 0.5 to 1. */
    private static int exponent(double x) {
        return finite(x) ? Math.getExponent(x) + 1 : 0;
    }

    private static Tensor whole(String name, Tensor a, Tensor b, boolean multiple) {
        DType type = Promotion.of(a, b);
        if (!type.isIntegral() || type == DType.BOOL) {
            throw new IllegalArgumentException(
                    "\"" + name + "_cpu\" not implemented for " + type.torchName() + " (expected: whole numbers)");
        }
        return Pointwise.binary(
                a,
                b,
                type,
                null,
                multiple ? (x, y) -> x == 0 || y == 0 ? 0 : Math.abs(x / divisor(x, y) * y) : FloatParts::divisor);
    }

    private static long divisor(long a, long b) {
        long x = Math.abs(a);
        long y = Math.abs(b);
        while (y != 0) {
            long rest = x % y;
            x = y;
            y = rest;
        }
        return x;
    }
}
