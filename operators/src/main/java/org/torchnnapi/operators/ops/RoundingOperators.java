package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.function.DoublePredicate;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Functions that keep the element type: rounding, sign, absolute value, and tests for special values. */
public final class RoundingOperators implements OperatorFamily {
    /** What is infinite becomes the largest number of the type where no other is given. */
    private static final String NUMBERS = """
        type = ops.prim.dtype(self)
        if torch.is_floating_point(self):
          if torch.eq(type, 7):
            most = 1.7976931348623157e+308
          else:
            if torch.eq(type, 5):
              most = 65504.
            else:
              if torch.eq(type, 15):
                most = 3.3895313892515355e+38
              else:
                most = 3.4028234663852886e+38
          if torch.__is__(nan_, None):
            unknown = 0.
          else:
            unknown = unchecked_cast(float, nan_)
          if torch.__is__(posinf, None):
            high = most
          else:
            high = unchecked_cast(float, posinf)
          if torch.__is__(neginf, None):
            low = torch.neg(most)
          else:
            low = unchecked_cast(float, neginf)
          known = torch.masked_fill(self, torch.ne(self, self), unknown)
          below = torch.masked_fill(known, torch.eq(self, inf), high)
          result = torch.masked_fill(below, torch.eq(self, -inf), low)
        else:
          result = torch.clone(self)
        return result""";

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ELEMENTWISE);
        Registrar jumping = r.with(OperatorTrait.JUMPS);
        both(jumping, "ceil", Math::ceil, LongUnaryOperator.identity());
        both(jumping, "floor", Math::floor, LongUnaryOperator.identity());
        both(jumping, "round", Math::rint, LongUnaryOperator.identity());
        both(jumping, "trunc", RoundingOperators::trunc, LongUnaryOperator.identity());
        both(r, "abs", Math::abs, Math::abs);
        Registrar linear = r.with(OperatorTrait.LINEAR);
        both(linear, "neg", x -> -x, x -> -x);
        both(r, "square", x -> x * x, x -> x * x);
        both(jumping, "sign", RoundingOperators::sign, Long::signum);
        both(jumping, "sgn", RoundingOperators::sign, Long::signum);
        r.composite("aten::positive(Tensor(a) self) -> Tensor(a)", a -> tensor(a, 0), "return torch.alias(self)");
        jumping.op(
                "aten::round.decimals(Tensor self, *, int decimals) -> Tensor",
                a -> round(tensor(a, 0), integer(a, 1)));
        jumping.op(
                "aten::round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), round(tensor(a, 0), integer(a, 1))));
        r.op("aten::isnan(Tensor self) -> Tensor", a -> test(tensor(a, 0), Double::isNaN), OperatorTrait.TESTS);
        r.op("aten::isinf(Tensor self) -> Tensor", a -> test(tensor(a, 0), Double::isInfinite), OperatorTrait.TESTS);
        r.op("aten::isfinite(Tensor self) -> Tensor", a -> test(tensor(a, 0), Double::isFinite), OperatorTrait.TESTS);
        r.composite(
                "aten::isposinf(Tensor self) -> Tensor",
                a -> test(tensor(a, 0), x -> x == Double.POSITIVE_INFINITY),
                "return torch.eq(self, inf)",
                OperatorTrait.TESTS);
        r.composite(
                "aten::isneginf(Tensor self) -> Tensor",
                a -> test(tensor(a, 0), x -> x == Double.NEGATIVE_INFINITY),
                "return torch.eq(self, -inf)",
                OperatorTrait.TESTS);
        jumping.op(
                "aten::signbit(Tensor self) -> Tensor",
                a -> test(tensor(a, 0), x -> x < 0 || 1 / x == Double.NEGATIVE_INFINITY));
        r.composite(
                "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
                a -> nanToNum(tensor(a, 0), realOrNull(a, 1), realOrNull(a, 2), realOrNull(a, 3)),
                NUMBERS);
        r.op(
                "aten::nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, "
                        + "float? neginf=None) -> Tensor(a!)",
                a -> Tensors.inPlace(
                        tensor(a, 0), nanToNum(tensor(a, 0), realOrNull(a, 1), realOrNull(a, 2), realOrNull(a, 3))));
    }

    private static void both(Registrar r, String name, DoubleUnaryOperator f, LongUnaryOperator g) {
        r.op("aten::" + name + "(Tensor self) -> Tensor", a -> apply(tensor(a, 0), f, g));
        r.op(
                "aten::" + name + "_(Tensor(a!) self) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), apply(tensor(a, 0), f, g)));
    }

    private static Tensor apply(Tensor t, DoubleUnaryOperator f, LongUnaryOperator g) {
        if (t.dtype().isComplex()) {
            return ComplexOperators.absOrNegative(t, f);
        }
        if (t.dtype() == DType.BOOL && g.applyAsLong(2) == 4) {
            return Elements.cast(t, DType.INT64);
        }
        return t.dtype().isIntegral() ? Pointwise.unaryLong(t, t.dtype(), g) : Pointwise.unary(t, t.dtype(), f);
    }

    /** Of NaN 0, as PyTorch 1.13 has it. */
    private static double sign(double x) {
        return x > 0 ? 1 : x < 0 ? -1 : 0;
    }

    private static double trunc(double x) {
        return x < 0 ? Math.ceil(x) : Math.floor(x);
    }

    /** PyTorch rounds {@code x * 10^d} (or {@code x / 10^-d}) in the element type. */
    private static Tensor round(Tensor t, long decimals) {
        double ten = Math.pow(10, Math.abs(decimals));
        boolean single = t.dtype() != DType.FLOAT64;
        return Pointwise.unary(t, t.dtype(), x -> {
            double scaled = decimals < 0 ? x / ten : x * ten;
            double whole = Math.rint(single ? (float) scaled : scaled);
            return decimals < 0 ? whole * ten : whole / ten;
        });
    }

    private static Tensor test(Tensor t, DoublePredicate p) {
        if (t.dtype().isComplex()) {
            Tensor re = test(ComplexParts.part(t, 0), p);
            Tensor im = test(ComplexParts.part(t, 1), p);
            // Finite are those of which both parts are; not a number or infinite, those of which one is.
            boolean both = p.test(0);
            return Pointwise.binary(re, im, DType.BOOL, null, (x, y) -> both ? x & y : x | y);
        }
        return Pointwise.unary(t, DType.BOOL, x -> p.test(x) ? 1 : 0);
    }

    private static Tensor nanToNum(Tensor t, Double nan, Double high, Double low) {
        if (t.dtype().isIntegral()) {
            return t.copy(MemoryFormat.CONTIGUOUS);
        }
        double max = switch (t.dtype()) {
            case FLOAT64 -> Double.MAX_VALUE;
            case FLOAT16 -> 65504;
            case BFLOAT16 -> 0x1.FEp127;
            default -> Float.MAX_VALUE;
        };
        double ifNan = nan == null ? 0 : nan;
        double ifHigh = high == null ? max : high;
        double ifLow = low == null ? -max : low;
        return Pointwise.unary(
                t,
                t.dtype(),
                x -> Double.isNaN(x)
                        ? ifNan
                        : x == Double.POSITIVE_INFINITY ? ifHigh : x == Double.NEGATIVE_INFINITY ? ifLow : x);
    }
}
