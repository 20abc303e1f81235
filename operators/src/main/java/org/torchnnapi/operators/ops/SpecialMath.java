package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.operand;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.torchscript.ir.OperatorTrait.ELEMENTWISE;

import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BesselFunctions;
import org.torchnnapi.operators.support.ElementRounding;
import org.torchnnapi.operators.support.GammaFunctions;
import org.torchnnapi.operators.support.NormalFunctions;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Polynomials;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.SpecialFunctions;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.Tensor;

/**
 * {@code torch.special}, as far as it is not arithmetic under another name: functions of one or two numbers, element by
 * element.
 */
public final class SpecialMath implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::special_entr(Tensor self) -> Tensor",
                a -> Pointwise.unary(
                        tensor(a, 0),
                        x -> x > 0 ? -x * Math.log(x) : x == 0 ? 0 : x < 0 ? Double.NEGATIVE_INFINITY : x),
                """
            plain = torch.neg(torch.xlogy(self, self))
            return torch.masked_fill(plain, torch.lt(self, 0), -inf)""",
                ELEMENTWISE);
        one(r, "special_i0e(Tensor self)", x -> BesselFunctions.scaledI(0, x));
        one(r, "special_i1(Tensor self)", x -> BesselFunctions.i(1, x));
        one(r, "special_i1e(Tensor self)", x -> BesselFunctions.scaledI(1, x));
        one(r, "special_modified_bessel_i0(Tensor self)", x -> BesselFunctions.i(0, x));
        one(r, "special_modified_bessel_i1(Tensor self)", x -> BesselFunctions.i(1, x));
        one(r, "special_modified_bessel_k0(Tensor self)", x -> BesselFunctions.k(0, x));
        one(r, "special_modified_bessel_k1(Tensor self)", x -> BesselFunctions.k(1, x));
        one(r, "special_scaled_modified_bessel_k0(Tensor x)", x -> BesselFunctions.scaledK(0, x));
        one(r, "special_scaled_modified_bessel_k1(Tensor x)", x -> BesselFunctions.scaledK(1, x));
        one(r, "special_bessel_j0(Tensor self)", x -> BesselFunctions.j(0, x));
        one(r, "special_bessel_j1(Tensor self)", x -> BesselFunctions.j(1, x));
        one(r, "special_bessel_y0(Tensor self)", x -> BesselFunctions.y(0, x));
        one(r, "special_bessel_y1(Tensor self)", x -> BesselFunctions.y(1, x));
        one(r, "special_spherical_bessel_j0(Tensor x)", BesselFunctions::spherical);
        one(r, "special_airy_ai(Tensor x)", BesselFunctions::airy);
        r.composite(
                "aten::special_ndtr(Tensor self) -> Tensor",
                a -> distribution(tensor(a, 0)),
                "return torch.mul(torch.add(torch.erf(torch.mul(self, 0.70710678118654757)), 1), 0.5)",
                ELEMENTWISE);
        one(r, "special_log_ndtr(Tensor self)", NormalFunctions::logCdf);
        one(r, "special_ndtri(Tensor self)", NormalFunctions::quantile);
        one(r, "special_erfcx(Tensor self)", NormalFunctions::scaledErfc);
        for (char kind : new char[] {'t', 'u', 'v', 'w'}) {
            polynomial(r, "chebyshev_polynomial_" + kind, type -> chebyshev(kind, type, x -> x));
            polynomial(r, "shifted_chebyshev_polynomial_" + kind, type -> chebyshev(kind, type, x -> 2 * x - 1));
        }
        polynomial(r, "hermite_polynomial_h", type -> Polynomials::hermite);
        polynomial(r, "hermite_polynomial_he", type -> Polynomials::hermiteE);
        polynomial(r, "laguerre_polynomial_l", type -> Polynomials::laguerre);
        polynomial(r, "legendre_polynomial_p", type -> Polynomials::legendre);
        two(r, "special_zeta", GammaFunctions::zeta);
        logarithmic(r, "special_xlog1py", "log1p", Math::log1p, "self_scalar", "other_scalar", "");
        logarithmic(r, "xlogy", "log", Math::log, "Scalar_Self", "Scalar_Other", ".Tensor");
        r.op(
                "aten::igamma(Tensor self, Tensor other) -> Tensor",
                a -> both(a[0], a[1], (x, y) -> GammaFunctions.incomplete(x, y, false)),
                ELEMENTWISE);
        r.op(
                "aten::igammac(Tensor self, Tensor other) -> Tensor",
                a -> both(a[0], a[1], (x, y) -> GammaFunctions.incomplete(x, y, true)),
                ELEMENTWISE);
        r.composite(
                "aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)",
                "return torch.copy_(self, torch.polygamma(n, self))");
        r.op("aten::polygamma(int n, Tensor self) -> Tensor", a -> polygamma(integer(a, 0), tensor(a, 1)), ELEMENTWISE);
        r.op(
                "aten::mvlgamma(Tensor self, int p) -> Tensor",
                a -> multivariateLogGamma(tensor(a, 0), integer(a, 1)),
                ELEMENTWISE);
        r.op(
                "aten::nextafter(Tensor self, Tensor other) -> Tensor",
                a -> {
                    DType type = Promotion.of(operand(a, 0), operand(a, 1));
                    return Pointwise.binary(
                            tensor(a, 0),
                            tensor(a, 1),
                            type,
                            type == DType.FLOAT64
                                    ? Math::nextAfter
                                    : type == DType.BFLOAT16
                                            ? SpecialMath::nextBfloat
                                            : (x, y) -> Math.nextAfter((float) x, y),
                            null);
                },
                ELEMENTWISE);
    }

    /** Bits of numbers of one sign follow each other as the numbers do. */
    private static double nextBfloat(double x, double y) {
        if (x == y || Double.isNaN(x) || Double.isNaN(y)) {
            return x == y ? y : Double.NaN;
        }
        short bits = Half.bfloatFromFloat((float) x);
        if (x == 0) {
            return Half.bfloatToFloat((short) (y > 0 ? 1 : 1 | Short.MIN_VALUE));
        }
        return Half.bfloatToFloat((short) (bits + (x < y == x > 0 ? 1 : -1)));
    }

    private static void one(Registrar r, String call, DoubleUnaryOperator f) {
        r.op("aten::" + call + " -> Tensor", a -> Pointwise.unary(tensor(a, 0), f), ELEMENTWISE);
    }

    /** @param of the function in a result type, to which it rounds its steps */
    private static void polynomial(Registrar r, String name, Function<DType, DoubleBinaryOperator> of) {
        for (String form :
                new String[] {"(Tensor x, Tensor n)", ".x_scalar(Scalar x, Tensor n)", ".n_scalar(Tensor x, Scalar n)"
                }) {
            r.op("aten::special_" + name + form + " -> Tensor", a -> typed(a[0], a[1], of), ELEMENTWISE);
        }
    }

    private static DoubleBinaryOperator chebyshev(char kind, DType type, DoubleUnaryOperator argument) {
        DoubleUnaryOperator rounding = step -> ElementRounding.to(type, step);
        return (x, n) -> Polynomials.chebyshev(kind, rounding.applyAsDouble(argument.applyAsDouble(x)), n, rounding);
    }

    private static void two(Registrar r, String name, DoubleBinaryOperator f) {
        r.op("aten::" + name + "(Tensor self, Tensor other) -> Tensor", a -> both(a[0], a[1], f), ELEMENTWISE);
        r.op(
                "aten::" + name + ".self_scalar(Scalar self, Tensor other) -> Tensor",
                a -> both(a[0], a[1], f),
                ELEMENTWISE);
        r.op(
                "aten::" + name + ".other_scalar(Tensor self, Scalar other) -> Tensor",
                a -> both(a[0], a[1], f),
                ELEMENTWISE);
    }

    /** {@code x log y}, 0 for an x of 0; the logarithm is rounded to the result's type. */
    private static void logarithmic(
            Registrar r,
            String name,
            String logarithm,
            DoubleUnaryOperator f,
            String numberFirst,
            String numberSecond,
            String plain) {
        Function<DType, DoubleBinaryOperator> of =
                type -> (x, y) -> x == 0 && y == y ? 0 : x * ElementRounding.to(type, f.applyAsDouble(y));
        r.composite(
                "aten::" + name + plain + "(Tensor self, Tensor other) -> Tensor",
                a -> typed(a[0], a[1], of),
                """
            none = torch.logical_and(torch.eq(self, 0), torch.eq(other, other))
            return torch.masked_fill(torch.mul(self, torch.%s(other)), none, 0)""".replace("%s", logarithm),
                ELEMENTWISE);
        String number = """
            if torch.is_floating_point(tensor):
              type = ops.prim.dtype(tensor)
            else:
              type = 6
            """;
        r.composite(
                "aten::" + name + "." + numberFirst + "(Scalar self, Tensor other) -> Tensor",
                a -> typed(a[0], a[1], of),
                number.replace("tensor)", "other)") + "return torch." + name
                        + "(torch.scalar_tensor(self, dtype=type), other)",
                ELEMENTWISE);
        r.composite(
                "aten::" + name + "." + numberSecond + "(Tensor self, Scalar other) -> Tensor",
                a -> typed(a[0], a[1], of),
                number.replace("tensor)", "self)") + "return torch." + name
                        + "(self, torch.scalar_tensor(other, dtype=type))",
                ELEMENTWISE);
    }

    private static Tensor both(Object a, Object b, DoubleBinaryOperator f) {
        return typed(a, b, type -> f);
    }

    /** @param of the function in a result type, to which it may round its steps */
    private static Tensor typed(Object a, Object b, Function<DType, DoubleBinaryOperator> of) {
        DType type = Promotion.floating(Promotion.of(a, b));
        return Pointwise.binary(a, b, type, of.apply(type), null);
    }

    private static Tensor polygamma(long n, Tensor t) {
        if (n < 0) {
            throw new IllegalArgumentException("polygamma(n, x) does not support negative n.");
        }
        boolean wide = t.dtype() == DType.FLOAT64;
        return Pointwise.unary(
                t, x -> n == 1 && !wide ? GammaFunctions.singleTrigamma((float) x) : GammaFunctions.polygamma(n, x));
    }

    /** As one half and half the error function, whose tail has no more digits than one has: PyTorch's own precision. */
    private static Tensor distribution(Tensor t) {
        boolean wide = t.dtype() == DType.FLOAT64;
        if (t.dtype() == DType.BFLOAT16) {
            return Pointwise.unary(t, x -> bfloat(bfloat(SpecialFunctions.erf(bfloat(x * Math.sqrt(0.5)))) + 1) * 0.5);
        }
        return Pointwise.unary(t, x -> {
            double erf = SpecialFunctions.erf(x * Math.sqrt(0.5));
            return (1 + (wide ? erf : (float) erf)) * 0.5;
        });
    }

    private static double bfloat(double value) {
        return ElementRounding.to(DType.BFLOAT16, value);
    }

    private static Tensor multivariateLogGamma(Tensor t, long p) {
        if (p < 1) {
            throw new IllegalArgumentException("p has to be greater than or equal to 1");
        }
        return Pointwise.unary(t.contiguous(), x -> {
            double sum = p * (p - 1) / 4.0 * Math.log(Math.PI);
            for (long i = 0; i < p; i++) {
                sum += SpecialFunctions.logGamma(x - i / 2.0);
            }
            return sum;
        });
    }
}
