package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.operand;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Comparison, logical and bitwise operators. Quantized operands compare by their real values. */
public final class ComparisonOperators implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ELEMENTWISE);
        Registrar testing = r.with(OperatorTrait.TESTS);
        Registrar comparing = testing.with(OperatorTrait.JUMPS);
        compare(comparing, "eq", (x, y) -> x == y, (x, y) -> x == y);
        compare(comparing, "ne", (x, y) -> x != y, (x, y) -> x != y);
        compare(comparing, "lt", (x, y) -> x < y, (x, y) -> x < y);
        compare(comparing, "le", (x, y) -> x <= y, (x, y) -> x <= y);
        compare(comparing, "gt", (x, y) -> x > y, (x, y) -> x > y);
        compare(comparing, "ge", (x, y) -> x >= y, (x, y) -> x >= y);
        logical(testing, "logical_and", (x, y) -> x != 0 && y != 0);
        logical(testing, "logical_or", (x, y) -> x != 0 || y != 0);
        logical(testing, "logical_xor", (x, y) -> x != 0 ^ y != 0);
        testing.op(
                "aten::logical_not(Tensor self) -> Tensor",
                a -> Pointwise.unary(truth(a, 0), DType.BOOL, x -> x == 0 ? 1 : 0),
                OperatorTrait.JUMPS);
        r.op(
                "aten::logical_not_(Tensor(a!) self) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 0), Pointwise.unary(truth(a, 0), DType.BOOL, x -> x == 0 ? 1 : 0)));
        Registrar combining = r.with(OperatorTrait.COMBINES_BITS);
        bitwise(combining, "and", (x, y) -> x & y);
        bitwise(combining, "or", (x, y) -> x | y);
        bitwise(combining, "xor", (x, y) -> x ^ y);
        shift(r, "__lshift__", (x, y) -> y < 0 || y > 63 ? 0 : x << y);
        shift(r, "__rshift__", (x, y) -> x >> Math.min(y < 0 ? 63 : y, 63));
        shift(r, "bitwise_left_shift", (x, y) -> y < 0 || y > 63 ? 0 : x << y);
        shift(r, "bitwise_right_shift", (x, y) -> x >> Math.min(y < 0 ? 63 : y, 63));
        combining.op("aten::bitwise_not(Tensor self) -> Tensor", a -> not(tensor(a, 0)));
        r.op(
                "aten::bitwise_not_(Tensor(a!) self) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 0), not(tensor(a, 0))));
        all.op(
                "aten::equal(Tensor self, Tensor other) -> bool",
                a -> Arrays.equals(tensor(a, 0).sizes(), tensor(a, 1).sizes())
                        && !holdsAnywhere(Pointwise.compare(
                                plain(parts(tensor(a, 0))),
                                plain(parts(tensor(a, 1))),
                                (x, y) -> x != y,
                                (x, y) -> x != y)));
        r.composite(
                "aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, "
                        + "bool equal_nan=False) -> Tensor",
                a -> close(tensor(a, 0), tensor(a, 1), real(a, 2), real(a, 3), flag(a, 4)),
                """
            distance = torch.abs(torch.sub(self, other))
            bound = torch.add(torch.mul(torch.abs(other), rtol), atol)
            near = torch.logical_and(torch.le(distance, bound), torch.lt(distance, inf))
            same = torch.logical_or(torch.eq(self, other), near)
            if equal_nan:
              result = torch.logical_or(same, torch.logical_and(torch.ne(self, self), torch.ne(other, other)))
            else:
              result = same
            return result""");
        all.op(
                "aten::allclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, "
                        + "bool equal_nan=False) -> bool",
                a -> !holdsAnywhere(Pointwise.unary(
                        close(tensor(a, 0), tensor(a, 1), real(a, 2), real(a, 3), flag(a, 4)),
                        DType.BOOL,
                        x -> x == 0 ? 1 : 0)));
    }

    /** Complex numbers as pairs of reals. */
    private static Tensor parts(Tensor t) {
        return t.dtype().isComplex() ? ComplexOperators.viewAsReal(t) : t;
    }

    private static void compare(Registrar r, String name, Pointwise.DoubleTest f, Pointwise.LongTest g) {
        for (String other : new String[] {"Tensor", "Scalar"}) {
            r.op(
                    "aten::" + name + "." + other + "(Tensor self, " + other + " other) -> Tensor",
                    a -> compare(tensor(a, 0), operand(a, 1), f, g));
            r.op(
                    "aten::" + name + "_." + other + "(Tensor(a!) self, " + other + " other) -> Tensor(a!)",
                    a -> Tensors.copyInto(tensor(a, 0), compare(tensor(a, 0), operand(a, 1), f, g)));
        }
    }

    private static Tensor compare(Tensor a, Object b, Pointwise.DoubleTest f, Pointwise.LongTest g) {
        if (a.dtype().isComplex() || b instanceof Tensor t && t.dtype().isComplex()) {
            Tensor difference = ComplexOperators.add(a, ComplexOperators.multiply(b, -1L));
            double[] parts = ComplexOperators.parts(difference);
            long[] out = new long[parts.length / 2];
            Arrays.setAll(out, i -> f.test(Math.hypot(parts[2 * i], parts[2 * i + 1]), 0) ? 1 : 0);
            return Elements.ofLongs(DType.BOOL, out, difference.sizes());
        }
        return Pointwise.compare(plain(a), b instanceof Tensor t ? plain(t) : b, f, g);
    }

    /** Where two tensors differ. */
    static Tensor differs(Tensor a, Tensor b) {
        return compare(a, b, (x, y) -> x != y, (x, y) -> x != y);
    }

    private static Tensor plain(Tensor t) {
        return t.dtype().isQuantized() ? QuantizedMath.dequantize(t) : t;
    }

    private static void logical(Registrar r, String name, Pointwise.DoubleTest f) {
        Pointwise.LongTest g = (x, y) -> f.test(x == 0 ? 0 : 1, y == 0 ? 0 : 1);
        r.op(
                "aten::" + name + "(Tensor self, Tensor other) -> Tensor",
                a -> Pointwise.compare(truth(a, 0), truth(a, 1), f, g));
        r.op(
                "aten::" + name + "_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 0), Pointwise.compare(truth(a, 0), truth(a, 1), f, g)));
    }

    /** Of complex numbers, whether they are not zero. */
    private static Tensor truth(Object[] a, int i) {
        Tensor t = tensor(a, i);
        return !t.dtype().isComplex()
                ? t
                : Pointwise.compare(
                        ComplexParts.part(t, 0),
                        ComplexParts.part(t, 1),
                        (x, y) -> x != 0 || y != 0,
                        (x, y) -> x != 0 || y != 0);
    }

    private static void bitwise(Registrar r, String name, LongBinaryOperator g) {
        for (String prefix : new String[] {"bitwise_" + name, "__" + name + "__"}) {
            shift(r, prefix, g);
        }
    }

    private static void shift(Registrar r, String name, LongBinaryOperator g) {
        boolean dunder = name.startsWith("__");
        for (String other : new String[] {"Tensor", "Scalar"}) {
            String overload = name.endsWith("shift") && !dunder && other.equals("Scalar") ? "Tensor_Scalar" : other;
            r.op(
                    "aten::" + name + "." + overload + "(Tensor self, " + other + " other) -> Tensor",
                    a -> integers(tensor(a, 0), operand(a, 1), g));
            if (!dunder) {
                r.op(
                        "aten::" + name + "_." + overload + "(Tensor(a!) self, " + other + " other) -> Tensor(a!)",
                        a -> Tensors.inPlace(tensor(a, 0), integers(tensor(a, 0), operand(a, 1), g)));
            } else {
                r.op(
                        "aten::__i" + name.substring(2) + "." + overload + "(Tensor(a!) self, " + other
                                + " other) -> Tensor(a!)",
                        a -> Tensors.inPlace(tensor(a, 0), integers(tensor(a, 0), operand(a, 1), g)));
            }
        }
        if (!dunder) {
            r.op(
                    "aten::" + name + ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
                    a -> integers(scalar(a, 0), tensor(a, 1), g));
        }
    }

    private static Tensor integers(Object a, Object b, LongBinaryOperator g) {
        DType type = Promotion.of(a, b);
        if (!type.isIntegral()) {
            throw new IllegalArgumentException(
                    "dtype: " + type.torchName() + " (expected: an integer type or bool for bitwise operators)");
        }
        return Pointwise.binary(a, b, type, null, g);
    }

    private static Tensor not(Tensor t) {
        if (!t.dtype().isIntegral()) {
            throw new IllegalArgumentException(
                    "dtype: " + t.dtype().torchName() + " (expected: an integer type or bool for bitwise_not)");
        }
        return Pointwise.unaryLong(t, t.dtype(), t.dtype() == DType.BOOL ? x -> 1 - x : x -> ~x);
    }

    private static Tensor close(Tensor a, Tensor b, double relative, double absolute, boolean nanEqual) {
        if (ComplexOperators.applies(a, b)) {
            return closeComplex(a, b, relative, absolute, nanEqual);
        }
        return Pointwise.compare(
                a,
                b,
                (x, y) -> x == y
                        || nanEqual && x != x && y != y
                        || Math.abs(x - y) <= absolute + relative * Math.abs(y) && !Double.isInfinite(y),
                (x, y) -> x == y || Math.abs(x - y) <= absolute + relative * Math.abs(y));
    }

    private static Tensor closeComplex(Tensor a, Tensor b, double relative, double absolute, boolean nanEqual) {
        int[] sizes = BroadcastShapes.shape(a.sizes(), b.sizes());
        double[] x = ComplexOperators.parts(BroadcastShapes.expand(a, sizes));
        double[] y = ComplexOperators.parts(BroadcastShapes.expand(b, sizes));
        long[] out = new long[x.length / 2];
        for (int i = 0; i < x.length; i += 2) {
            double distance = Math.hypot(x[i] - y[i], x[i + 1] - y[i + 1]);
            boolean same = x[i] == y[i] && x[i + 1] == y[i + 1];
            boolean nan = nanEqual
                    && (Double.isNaN(x[i]) || Double.isNaN(x[i + 1]))
                    && (Double.isNaN(y[i]) || Double.isNaN(y[i + 1]));
            boolean near = !Double.isInfinite(distance) && distance <= absolute + relative * Math.hypot(y[i], y[i + 1]);
            out[i / 2] = same || nan || near ? 1 : 0;
        }
        return Elements.ofLongs(DType.BOOL, out, sizes);
    }

    private static boolean holdsAnywhere(Tensor t) {
        return Arrays.stream(Elements.longs(t)).anyMatch(v -> v != 0);
    }
}
