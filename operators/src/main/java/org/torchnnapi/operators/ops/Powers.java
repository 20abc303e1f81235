package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.operand;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.function.DoubleBinaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/** Powers, and real functions of two or three tensors beyond plain arithmetic. */
public final class Powers implements OperatorFamily {
    /** In float64 or complex128, whatever the operands are. */
    private static Tensor doublePower(Tensor base, Object exponent) {
        boolean complex = base.dtype().isComplex()
                || exponent instanceof Complex
                || exponent instanceof Tensor t && t.dtype().isComplex();
        if (!complex) {
            return Pointwise.binary(base, exponent, DType.FLOAT64, Powers::power, null);
        }
        Object power = exponent instanceof Tensor t ? Elements.cast(t, DType.COMPLEX128) : exponent;
        return pow(Elements.cast(base, DType.COMPLEX128), power);
    }

    private static Tensor doublePowerInto(Tensor self, Object exponent) {
        Tensor power = doublePower(self, exponent);
        if (power.dtype() != self.dtype()) {
            throw new IllegalArgumentException(
                    "the base given to float_power_ has dtype " + Promotion.scalarType(self.dtype()) + " (expected: "
                            + Promotion.scalarType(power.dtype()) + ", in which the result is computed)");
        }
        return Tensors.inPlace(self, power);
    }

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ELEMENTWISE);
        r.op("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", a -> pow(tensor(a, 0), tensor(a, 1)));
        r.op("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", a -> pow(tensor(a, 0), scalar(a, 1)));
        r.op(
                "aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
                a -> pow(scalar(a, 0), tensor(a, 1)).contiguous());
        r.op(
                "aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), pow(tensor(a, 0), scalar(a, 1))));
        r.op(
                "aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), pow(tensor(a, 0), tensor(a, 1))));
        r.op(
                "aten::float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)",
                a -> doublePowerInto(tensor(a, 0), scalar(a, 1)));
        r.op(
                "aten::float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)",
                a -> doublePowerInto(tensor(a, 0), tensor(a, 1)));
        r.composite(
                "aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
                a -> doublePower(tensor(a, 0), scalar(a, 1)),
                """
            if torch.is_complex(self):
              base = torch.to(self, 10)
            else:
              base = torch.to(self, 7)
            return torch.pow(base, exponent)""");
        r.composite(
                "aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
                a -> doublePower(tensor(a, 0), tensor(a, 1)),
                """
            if torch.__or__(torch.is_complex(self), torch.is_complex(exponent)):
              base, power = torch.to(self, 10), torch.to(exponent, 10)
            else:
              base, power = torch.to(self, 7), torch.to(exponent, 7)
            return torch.pow(base, power)""");
        floating(r, "atan2", Math::atan2);
        floating(
                r,
                "hypot",
                Math::hypot,
                "return torch.sqrt(torch.add(torch.mul(self, self), torch.mul(other, other)))");
        // Of zeros the reciprocal tells the sign.
        floating(r, "copysign.Tensor", Math::copySign, """
            negative = torch.logical_or(torch.lt(other, 0), torch.lt(torch.reciprocal(other), 0))
            size = torch.abs(torch.mul(self, 1.))
            return torch.where(negative, torch.neg(size), size)""");
        floating(
                r,
                "logaddexp",
                (x, y) -> {
                    double max = Math.max(x, y);
                    return Double.isInfinite(max) ? max : max + Math.log1p(Math.exp(Math.min(x, y) - max));
                },
                """
            distance = torch.masked_fill(torch.abs(torch.sub(self, other)), torch.eq(self, other), 0)
            return torch.add(torch.maximum(self, other), torch.log1p(torch.exp(torch.neg(distance))))""");
        floating(
                r,
                "logaddexp2",
                (x, y) -> {
                    double max = Math.max(x, y);
                    return Double.isInfinite(max)
                            ? max
                            : max + Math.log1p(Math.pow(2, Math.min(x, y) - max)) / Math.log(2);
                },
                """
            distance = torch.masked_fill(torch.abs(torch.sub(self, other)), torch.eq(self, other), 0)
            return torch.add(torch.maximum(self, other), torch.log2(torch.add(torch.exp2(torch.neg(distance)), 1)))""");
        r.composite(
                "aten::heaviside(Tensor self, Tensor values) -> Tensor",
                a -> {
                    if (tensor(a, 0).dtype() != tensor(a, 1).dtype()) {
                        throw new IllegalArgumentException(
                                "heaviside is not yet implemented for tensors with different dtypes.");
                    }
                    return Pointwise.binary(
                            tensor(a, 0),
                            tensor(a, 1),
                            tensor(a, 0).dtype(),
                            (x, v) -> x == 0 ? v : x > 0 ? 1 : 0,
                            (x, v) -> x == 0 ? v : x > 0 ? 1 : 0);
                },
                "return torch.where(torch.eq(self, 0), values, torch.to(torch.gt(self, 0), ops.prim.dtype(self)))");
        r.composite(
                "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
                a -> lerp(tensor(a, 0), tensor(a, 1), scalar(a, 2)),
                "return torch.add(self, torch.mul(torch.sub(end, self), weight))");
        r.composite(
                "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
                a -> lerp(tensor(a, 0), tensor(a, 1), tensor(a, 2)),
                "return torch.add(self, torch.mul(torch.sub(end, self), weight))");
        r.op(
                "aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), lerp(tensor(a, 0), tensor(a, 1), scalar(a, 2))));
        r.op(
                "aten::lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), lerp(tensor(a, 0), tensor(a, 1), tensor(a, 2))));
        r.composite(
                "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
                a -> addProduct(a, false),
                "return torch.add(self, torch.mul(tensor1, tensor2), alpha=value)");
        r.op(
                "aten::addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), addProduct(a, false)));
        r.composite(
                "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
                a -> addProduct(a, true),
                "return torch.add(self, torch.div(tensor1, tensor2), alpha=value)");
        r.op(
                "aten::addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), addProduct(a, true)));
    }

    private static void floating(Registrar r, String name, DoubleBinaryOperator f) {
        r.op("aten::" + name + "(Tensor self, Tensor other) -> Tensor", a -> floating(a, f));
    }

    private static void floating(Registrar r, String name, DoubleBinaryOperator f, String body) {
        r.composite("aten::" + name + "(Tensor self, Tensor other) -> Tensor", a -> floating(a, f), body);
    }

    private static Tensor floating(Object[] a, DoubleBinaryOperator f) {
        DType type = Promotion.floating(Promotion.of(operand(a, 0), operand(a, 1)));
        return Pointwise.binary(tensor(a, 0), tensor(a, 1), type, f, null);
    }

    /**
     * Integers have integer powers, of which negative ones are 0 except for 1 and -1; exponents of integers by a number
     * must not be negative.
     */
    private static Tensor pow(Object base, Object exponent) {
        DType type = Promotion.of(base, exponent);
        if (type.isComplex()) {
            return ComplexOperators.power(base, exponent);
        }
        if (type.isIntegral() && exponent instanceof Long e && e < 0) {
            throw new IllegalArgumentException("Integers to negative integer powers are not allowed.");
        }
        return Pointwise.binary(
                base, exponent, type, (x, y) -> y == 2 ? x * x : y == 0.5 ? Math.sqrt(x) : power(x, y), Powers::power);
    }

    private static long power(long base, long exponent) {
        if (exponent < 0) {
            return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
        }
        long result = 1;
        long factor = base;
        for (long e = exponent; e > 0; e >>= 1) {
            if ((e & 1) != 0) {
                result *= factor;
            }
            factor *= factor;
        }
        return result;
    }

    private static Tensor lerp(Tensor start, Tensor end, Object weight) {
        if (start.dtype().isComplex()) {
            Tensor way = ComplexOperators.add(end, ComplexOperators.multiply(start, -1L));
            return Elements.cast(ComplexOperators.add(start, ComplexOperators.multiply(way, weight)), start.dtype());
        }
        boolean wide = start.dtype() == DType.FLOAT64;
        return Pointwise.ternary(start, end, weight, start.dtype(), (s, e, w) -> {
            // The way may be more than single precision holds.
            double way = wide ? e - s : (float) (e - s);
            return Math.abs(w) < 0.5 ? s + w * way : e - way * (1 - w);
        });
    }

    /** {@code self + value * a * b}, or {@code a / b}. */
    private static Tensor addProduct(Object[] a, boolean quotient) {
        DType type = Promotion.of(tensor(a, 0), tensor(a, 1), tensor(a, 2));
        if (type.isComplex()) {
            Tensor combined = quotient
                    ? ComplexOperators.divide(tensor(a, 1), tensor(a, 2))
                    : ComplexOperators.multiply(tensor(a, 1), tensor(a, 2));
            return Elements.cast(
                    ComplexOperators.add(tensor(a, 0), ComplexOperators.multiply(combined, scalar(a, 3))), type);
        }
        if (quotient && type.isIntegral()) {
            throw new IllegalArgumentException("Integer division with addcdiv is no longer supported");
        }
        if (type.isIntegral()) {
            // Real numbers hold no product of 64 bits.
            Tensor product = BinaryOps.multiply(Elements.cast(tensor(a, 1), type), Elements.cast(tensor(a, 2), type));
            return BinaryOps.add(Elements.cast(tensor(a, 0), type), product, scalar(a, 3));
        }
        double value = real(a, 3);
        return Pointwise.ternary(
                tensor(a, 0), tensor(a, 1), tensor(a, 2), type, (s, x, y) -> s + value * (quotient ? x / y : x * y));
    }

    /** C's power: of 1 it is 1 whatever the exponent, and of -1 for infinite ones. */
    private static double power(double x, double y) {
        return x == 1 || x == -1 && Double.isInfinite(y) ? 1 : Math.pow(x, y);
    }
}
