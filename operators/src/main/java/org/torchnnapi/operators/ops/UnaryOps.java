package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.ElementRounding;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.SpecialFunctions;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Functions of one number, element by element; integers give float32. Each has an in-place form. */
public final class UnaryOps implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ELEMENTWISE);
        both(r, "exp", Math::exp, ComplexFunctions.EXP);
        said(r, "exp2", x -> Math.pow(2, x), "return torch.exp(torch.mul(self, 0.69314718055994529))");
        both(r, "expm1", Math::expm1, null);
        both(r, "log", Math::log, ComplexFunctions.LOG);
        both(r, "log2", x -> Math.log(x) / Math.log(2), ComplexFunctions.LOG.times(1 / Math.log(2)));
        both(r, "log10", Math::log10, ComplexFunctions.LOG.times(1 / Math.log(10)));
        both(r, "log1p", Math::log1p, null);
        both(r, "sqrt", Math::sqrt, ComplexFunctions.SQRT);
        both(
                r,
                "rsqrt",
                x -> x == (float) x ? 1 / (float) Math.sqrt(x) : 1 / Math.sqrt(x),
                ComplexFunctions.SQRT.then(ComplexFunctions.RECIPROCAL));
        both(r, "reciprocal", x -> 1 / x, ComplexFunctions.RECIPROCAL);
        both(r, "sin", Math::sin, ComplexFunctions.SIN);
        both(r, "cos", Math::cos, ComplexFunctions.COS);
        both(r, "tan", Math::tan, ComplexFunctions.TAN);
        both(r, "asin", Math::asin, ComplexFunctions.ASIN);
        both(r, "acos", Math::acos, ComplexFunctions.ACOS);
        both(r, "atan", Math::atan, ComplexFunctions.ATAN);
        both(r, "sinh", Math::sinh, ComplexFunctions.SINH);
        both(r, "cosh", Math::cosh, ComplexFunctions.COSH);
        both(r, "asinh", SpecialFunctions::asinh, ComplexFunctions.ASINH);
        both(r, "acosh", x -> Math.log(x + Math.sqrt(x * x - 1)), ComplexFunctions.ACOSH);
        both(r, "atanh", x -> 0.5 * (Math.log1p(x) - Math.log1p(-x)), ComplexFunctions.ATANH);
        both(r, "erf", SpecialFunctions::erf, null);
        both(r, "erfc", SpecialFunctions::erfc, null);
        both(r, "lgamma", SpecialFunctions::logGamma, null);
        said(r, "deg2rad", Math::toRadians, "return torch.mul(self, 0.017453292519943295)");
        said(r, "rad2deg", Math::toDegrees, "return torch.mul(self, 57.295779513082323)");
        both(r, "erfinv", SpecialFunctions::erfInverse, null);
        both(r, "digamma", SpecialFunctions::digamma, null);
        both(r, "i0", SpecialFunctions::besselI0, null);
        r.composite("aten::sinc(Tensor self) -> Tensor", a -> sinc(tensor(a, 0)), """
            zero = torch.eq(self, 0)
            angle = torch.mul(torch.masked_fill(self, zero, 1), 3.1415926535897931)
            return torch.masked_fill(torch.div(torch.sin(angle), angle), zero, 1)""");
        r.op("aten::sinc_(Tensor(a!) self) -> Tensor(a!)", a -> Tensors.inPlace(tensor(a, 0), sinc(tensor(a, 0))));
        r.composite(
                "aten::logit(Tensor self, float? eps=None) -> Tensor", a -> logit(tensor(a, 0), realOrNull(a, 1)), """
            if torch.__is__(eps, None):
              inside = torch.alias(self)
            else:
              inside = torch.clamp(self, unchecked_cast(float, eps), torch.sub(1., unchecked_cast(float, eps)))
            return torch.log(torch.div(inside, torch.rsub(inside, 1)))""");
        r.op(
                "aten::logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), logit(tensor(a, 0), realOrNull(a, 1))));
        r.composite(
                "aten::frac(Tensor self) -> Tensor",
                a -> frac(tensor(a, 0)),
                "return torch.sub(self, torch.trunc(self))");
        r.op("aten::frac_(Tensor(a!) self) -> Tensor(a!)", a -> Tensors.inPlace(tensor(a, 0), frac(tensor(a, 0))));
    }

    /** @param complex the function of complex numbers; null if there is none */
    private static void both(Registrar r, String name, DoubleUnaryOperator f, ComplexFunctions.Function complex) {
        r.op("aten::" + name + "(Tensor self) -> Tensor", a -> apply(tensor(a, 0), f, complex));
        r.op(
                "aten::" + name + "_(Tensor(a!) self) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), apply(tensor(a, 0), f, complex)));
    }

    /** A function of real numbers that is said in others as well. */
    private static void said(Registrar r, String name, DoubleUnaryOperator f, String body) {
        r.composite("aten::" + name + "(Tensor self) -> Tensor", a -> apply(tensor(a, 0), f, null), body);
        r.op(
                "aten::" + name + "_(Tensor(a!) self) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), apply(tensor(a, 0), f, null)));
    }

    private static Tensor apply(Tensor t, DoubleUnaryOperator f, ComplexFunctions.Function complex) {
        return t.dtype().isComplex() && complex != null ? ComplexFunctions.map(t, complex) : Pointwise.unary(t, f);
    }

    /** {@code log(x / (1 - x))}, of what lies at least {@code eps} inside 0 to 1 if one is given. */
    private static Tensor logit(Tensor t, Double eps) {
        return Pointwise.unary(t, x -> {
            double inside = eps == null ? x : x < eps ? eps : x > 1 - eps ? 1 - eps : x;
            return Math.log(inside / (1 - inside));
        });
    }

    /**
     * The angle of float32 is rounded as PyTorch rounds it, which shows at whole numbers, where only rounding errors
     * are left.
     */
    private static Tensor sinc(Tensor t) {
        if (t.dtype().isComplex()) {
            return ComplexFunctions.map(t, (x, y, out) -> {
                ComplexFunctions.SIN.apply(Math.PI * x, Math.PI * y, out);
                double norm = (x * x + y * y) * Math.PI;
                double real = out[0];
                out[0] = norm == 0 ? 1 : (real * x + out[1] * y) / norm;
                out[1] = norm == 0 ? 0 : (out[1] * x - real * y) / norm;
            });
        }
        if (t.dtype() == DType.BFLOAT16) {
            return Pointwise.unary(t, x -> {
                double angle = ElementRounding.to(DType.BFLOAT16, ElementRounding.to(DType.BFLOAT16, Math.PI) * x);
                return x == 0 ? 1 : ElementRounding.to(DType.BFLOAT16, Math.sin(angle)) / angle;
            });
        }
        if (t.dtype() == DType.FLOAT64) {
            return Pointwise.unary(t, x -> x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
        }
        return Pointwise.unary(t, x -> {
            float angle = (float) Math.PI * (float) x;
            return x == 0 ? 1 : (float) Math.sin(angle) / angle;
        });
    }

    private static Tensor frac(Tensor t) {
        DType type = t.dtype();
        return Pointwise.unary(t, type, x -> x - (x < 0 ? Math.ceil(x) : Math.floor(x)));
    }
}
