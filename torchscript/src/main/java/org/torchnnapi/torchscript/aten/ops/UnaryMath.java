package org.torchnnapi.torchscript.aten.ops;

import static org.torchnnapi.torchscript.aten.support.Args.tensor;

import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.support.Pointwise;
import org.torchnnapi.torchscript.aten.support.SpecialFunctions;
import org.torchnnapi.torchscript.aten.support.Tensors;

/** Real functions of one number, element by element; integers give float32. Each has an in-place form. */
public final class UnaryMath implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        both(r, "exp", Math::exp);
        both(r, "exp2", x -> Math.pow(2, x));
        both(r, "expm1", Math::expm1);
        both(r, "log", Math::log);
        both(r, "log2", x -> Math.log(x) / Math.log(2));
        both(r, "log10", Math::log10);
        both(r, "log1p", Math::log1p);
        both(r, "sqrt", Math::sqrt);
        both(r, "rsqrt", x -> x == (float) x ? 1 / (float) Math.sqrt(x) : 1 / Math.sqrt(x));
        both(r, "reciprocal", x -> 1 / x);
        both(r, "sin", Math::sin);
        both(r, "cos", Math::cos);
        both(r, "tan", Math::tan);
        both(r, "asin", Math::asin);
        both(r, "acos", Math::acos);
        both(r, "atan", Math::atan);
        both(r, "arcsin", Math::asin);
        both(r, "arccos", Math::acos);
        both(r, "arctan", Math::atan);
        both(r, "sinh", Math::sinh);
        both(r, "cosh", Math::cosh);
        both(r, "asinh", SpecialFunctions::asinh);
        both(r, "acosh", x -> Math.log(x + Math.sqrt(x * x - 1)));
        both(r, "atanh", x -> 0.5 * (Math.log1p(x) - Math.log1p(-x)));
        both(r, "erf", SpecialFunctions::erf);
        both(r, "erfc", SpecialFunctions::erfc);
        both(r, "lgamma", SpecialFunctions::logGamma);
        both(r, "deg2rad", Math::toRadians);
        both(r, "rad2deg", Math::toDegrees);
        both(r, "sinc", x -> x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
        r.op("aten::frac(Tensor self) -> Tensor", a -> frac(tensor(a, 0)));
        r.op("aten::frac_(Tensor(a!) self) -> Tensor(a!)", a -> Tensors.inPlace(tensor(a, 0), frac(tensor(a, 0))));
    }

    private static void both(Registrar r, String name, DoubleUnaryOperator f) {
        r.op("aten::" + name + "(Tensor self) -> Tensor", a -> Pointwise.unary(tensor(a, 0), f));
        r.op("aten::" + name + "_(Tensor(a!) self) -> Tensor(a!)",
            a -> Tensors.inPlace(tensor(a, 0), Pointwise.unary(tensor(a, 0), f)));
    }

    private static Tensor frac(Tensor t) {
        DType type = t.dtype();
        return Pointwise.unary(t, type, x -> x - (x < 0 ? Math.ceil(x) : Math.floor(x)));
    }
}
