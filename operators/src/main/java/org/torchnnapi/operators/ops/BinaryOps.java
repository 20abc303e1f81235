package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.operand;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.textOrNull;

import java.util.function.BinaryOperator;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.ElementRounding;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/** Addition, subtraction, multiplication, division and remainders, with type promotion and broadcasting. */
public final class BinaryOps implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ELEMENTWISE);
        r.op(
                "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                a -> add(tensor(a, 0), tensor(a, 1), scalar(a, 2)),
                OperatorTrait.TAKES_NUMBERS);
        r.op(
                "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
                a -> add(tensor(a, 0), scalar(a, 1), scalar(a, 2)));
        r.op(
                "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), add(tensor(a, 0), tensor(a, 1), scalar(a, 2))));
        r.op(
                "aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), add(tensor(a, 0), scalar(a, 1), scalar(a, 2))));
        r.op(
                "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                a -> subtract(tensor(a, 0), tensor(a, 1), scalar(a, 2)),
                OperatorTrait.TAKES_NUMBERS);
        r.op(
                "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
                a -> subtract(tensor(a, 0), scalar(a, 1), scalar(a, 2)));
        r.op(
                "aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), subtract(tensor(a, 0), tensor(a, 1), scalar(a, 2))));
        r.op(
                "aten::sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), subtract(tensor(a, 0), scalar(a, 1), scalar(a, 2))));
        r.op(
                "aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                a -> subtract(tensor(a, 1), tensor(a, 0), scalar(a, 2)));
        r.op(
                "aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
                a -> subtract(scalar(a, 1), tensor(a, 0), scalar(a, 2)));
        all(r.with(OperatorTrait.TAKES_NUMBERS), "mul", BinaryOps::multiply);
        Registrar quotients = r.with(OperatorTrait.QUOTIENT);
        all(quotients.with(OperatorTrait.TAKES_NUMBERS), "div", (x, y) -> divide(x, y, null));
        quotients.op(
                "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
                a -> divide(tensor(a, 0), tensor(a, 1), textOrNull(a, 2)));
        quotients.op(
                "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
                a -> divide(tensor(a, 0), scalar(a, 1), textOrNull(a, 2)));
        quotients.op(
                "aten::div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), divide(tensor(a, 0), tensor(a, 1), textOrNull(a, 2))));
        quotients.op(
                "aten::div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), divide(tensor(a, 0), scalar(a, 1), textOrNull(a, 2))));
        quotients.op(
                "aten::floor_divide(Tensor self, Tensor other) -> Tensor",
                a -> divide(tensor(a, 0), tensor(a, 1), "floor"));
        quotients.op(
                "aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor",
                a -> divide(tensor(a, 0), scalar(a, 1), "floor"));
        quotients.op(
                "aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), divide(tensor(a, 0), tensor(a, 1), "floor")));
        quotients.op(
                "aten::floor_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), divide(tensor(a, 0), scalar(a, 1), "floor")));
        all(quotients, "remainder", (x, y) -> promoted(x, y, BinaryOps::remainder, BinaryOps::remainder));
        quotients.op(
                "aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
                a -> promoted(scalar(a, 0), tensor(a, 1), BinaryOps::remainder, BinaryOps::remainder));
        all(quotients, "fmod", (x, y) -> promoted(x, y, (p, q) -> p % q, (p, q) -> p % nonZero(q)));
    }

    /** The Tensor and Scalar overloads of a function and their in-place forms. */
    private static void all(Registrar r, String name, BinaryOperator<Object> f) {
        for (String other : new String[] {"Tensor", "Scalar"}) {
            r.op(
                    "aten::" + name + "." + other + "(Tensor self, " + other + " other) -> Tensor",
                    a -> f.apply(tensor(a, 0), operand(a, 1)));
            r.op(
                    "aten::" + name + "_." + other + "(Tensor(a!) self, " + other + " other) -> Tensor(a!)",
                    a -> Tensors.inPlace(tensor(a, 0), (Tensor) f.apply(tensor(a, 0), operand(a, 1))));
        }
    }

    private static Tensor promoted(Object a, Object b, DoubleBinaryOperator f, LongBinaryOperator g) {
        return Pointwise.binary(a, b, Promotion.of(a, b), f, g);
    }

    /** {@code a + alpha * b}. */
    static Tensor add(Object a, Object b, Object alpha) {
        if (ComplexOperators.applies(a, b, alpha)) {
            // A real factor of real elements says nothing about the type of their sum.
            Object scaled = alpha instanceof Long l && l == 1
                    ? b
                    : b instanceof Tensor && !ComplexOperators.applies(b, alpha)
                            ? multiply(b, alpha)
                            : ComplexOperators.multiply(b, alpha);
            return ComplexOperators.add(a, scaled);
        }
        boolean one = alpha instanceof Long l && l == 1;
        if (one) {
            DType type = Promotion.of(a, b);
            return Pointwise.binary(a, b, type, Pointwise.SUM, type == DType.BOOL ? (p, q) -> p | q : Long::sum);
        }
        double real = ((Number) alpha(alpha)).doubleValue();
        long integer = ((Number) alpha(alpha)).longValue();
        DType type = Promotion.of(a, b);
        double rounded = type == DType.FLOAT32 ? (float) real : real;
        return Pointwise.binary(a, b, type, (p, q) -> p + rounded * q, (p, q) -> p + integer * q);
    }

    static Tensor subtract(Object a, Object b, Object alpha) {
        if (Promotion.of(a, b) == DType.BOOL) {
            throw new IllegalArgumentException("Subtraction, the `-` operator, with two bool tensors is not supported. "
                    + "Use the `^` or `logical_xor()` operator instead.");
        }
        Object k = alpha(alpha);
        return add(
                a,
                b,
                k instanceof Complex c
                        ? new Complex(-c.real(), -c.imaginary())
                        : k instanceof Double d ? (Object) (-d) : (Object) (-((Number) k).longValue()));
    }

    private static Object alpha(Object alpha) {
        return alpha instanceof Boolean b ? (Object) (b ? 1L : 0L) : alpha;
    }

    static Tensor multiply(Object a, Object b) {
        if (ComplexOperators.applies(a, b)) {
            return ComplexOperators.multiply(a, b);
        }
        return promoted(a, b, Pointwise.PRODUCT, (p, q) -> p * q);
    }

    /** @param mode null for true division, {@code floor} or {@code trunc} */
    static Tensor divide(Object a, Object b, String mode) {
        if (ComplexOperators.applies(a, b)) {
            return ComplexOperators.divide(a, b);
        }
        DType type = Promotion.of(a, b);
        if (mode == null) {
            return Pointwise.binary(a, b, Promotion.floating(type), (p, q) -> p / q, null);
        }
        boolean single = type != DType.FLOAT64;
        return switch (mode) {
            case "floor" ->
                Pointwise.binary(
                        a, b, type, (p, q) -> floorDivide(p, q, single), (p, q) -> Math.floorDiv(p, nonZero(q)));
            case "trunc" ->
                Pointwise.binary(
                        a,
                        b,
                        type,
                        (p, q) -> {
                            // A half or bfloat16 quotient is rounded to its type before it is cut off.
                            double quotient = ElementRounding.to(type, p / q);
                            return quotient < 0 ? Math.ceil(quotient) : Math.floor(quotient);
                        },
                        (p, q) -> p / nonZero(q));
            default ->
                throw new IllegalArgumentException(
                        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '" + mode + "'");
        };
    }

    /** Python's floor division: exact by way of the remainder. */
    private static double floorDivide(double a, double b, boolean single) {
        if (b == 0) {
            return a / b;
        }
        double mod = a % b;
        double quotient = (a - mod) / b;
        if (mod != 0 && b < 0 != mod < 0) {
            quotient -= 1;
        }
        if (quotient == 0) {
            return Math.copySign(0, a / b);
        }
        double rounded = single ? (float) quotient : quotient;
        double floor = Math.floor(rounded);
        return rounded - floor > 0.5 ? floor + 1 : floor;
    }

    private static double remainder(double a, double b) {
        double mod = a % b;
        return mod != 0 && b < 0 != mod < 0 ? mod + b : mod;
    }

    private static long remainder(long a, long b) {
        return Math.floorMod(a, nonZero(b));
    }

    private static long nonZero(long divisor) {
        if (divisor == 0) {
            throw new IllegalArgumentException("ZeroDivisionError");
        }
        return divisor;
    }
}
