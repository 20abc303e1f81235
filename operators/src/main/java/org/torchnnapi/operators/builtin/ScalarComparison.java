package org.torchnnapi.operators.builtin;

import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoublePredicate;
import java.util.function.IntPredicate;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/** Comparisons of numbers, strings, booleans, devices, enum members, and identity. */
public final class ScalarComparison implements OperatorFamily {
    private static final SortedMap<String, IntPredicate> ORDERS =
            new TreeMap<>(Map.of("lt", c -> c < 0, "gt", c -> c > 0, "le", c -> c <= 0, "ge", c -> c >= 0));

    @Override
    public void register(Registrar r) {
        Registrar total = r.with(OperatorTrait.TOTAL);
        for (String[] o : new String[][] {
            {"int", "int", "int"},
            {"float", "float", "float"},
            {"int_float", "int", "float"},
            {"float_int", "float", "int"},
            {"complex", "complex", "complex"},
            {"float_complex", "float", "complex"},
            {"complex_float", "complex", "float"},
            {"bool", "bool", "bool"},
            {"str", "str", "str"},
            {"device", "Device", "Device"},
            {"", "Scalar", "Scalar"}
        }) {
            pair(total, "aten::eq", o, false);
            pair(total, "aten::ne", o, true);
        }
        r.op("aten::eq.enum(AnyEnumType a, AnyEnumType b) -> bool", in -> in[0].equals(in[1]));
        r.op("aten::ne.enum(AnyEnumType a, AnyEnumType b) -> bool", in -> !in[0].equals(in[1]));
        ORDERS.forEach((name, order) -> {
            for (String[] o : new String[][] {
                {".int", "int", "int"},
                {".float", "float", "float"},
                {".int_float", "int", "float"},
                {".float_int", "float", "int"},
                {"", "Scalar", "Scalar"}
            }) {
                total.op(
                        "aten::" + name + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> bool",
                        in -> ordered(in[0], in[1], order));
            }
            r.op(
                    "aten::" + name + ".str(str a, str b) -> bool",
                    in -> order.test(ByteText.bytes((String) in[0]).compareTo(ByteText.bytes((String) in[1]))));
        });
        r.op("prim::id(AnyClassType? x) -> int", in -> in[0] == null ? 0L : 1L + System.identityHashCode(in[0]));
        r.op("aten::__is__(t1 self, t2 obj) -> bool", in -> same(in[0], in[1]));
        r.op("aten::__isnot__(t1 self, t2 obj) -> bool", in -> !same(in[0], in[1]));
        Registrar extremes = total.with(OperatorTrait.CHOOSES_NUMBER);
        extremes(extremes, "prim::min", true);
        extremes(extremes, "prim::max", false);
        DoublePredicate finite = Double::isFinite;
        r.op("aten::isfinite.float(float a) -> bool", in -> finite.test((Double) in[0]));
        r.op("aten::isinf.float(float a) -> bool", in -> Double.isInfinite((Double) in[0]));
        r.op("aten::isnan.float(float a) -> bool", in -> Double.isNaN((Double) in[0]));
        r.op(
                "aten::isfinite.complex(complex a) -> bool",
                in -> finite.test(((Complex) in[0]).real()) && finite.test(((Complex) in[0]).imaginary()));
        r.op(
                "aten::isinf.complex(complex a) -> bool",
                in -> Double.isInfinite(((Complex) in[0]).real()) || Double.isInfinite(((Complex) in[0]).imaginary()));
        r.op(
                "aten::isnan.complex(complex a) -> bool",
                in -> Double.isNaN(((Complex) in[0]).real()) || Double.isNaN(((Complex) in[0]).imaginary()));
    }

    private static void pair(Registrar r, String name, String[] o, boolean negate) {
        r.op(
                name + (o[0].isEmpty() ? "" : "." + o[0]) + "(" + o[1] + " a, " + o[2] + " b) -> bool",
                in -> equal(in[0], in[1]) != negate);
    }

    /** Equality of values as Python has it: numbers of different types are compared as numbers. */
    static boolean equal(Object a, Object b) {
        if (isNumber(a) && isNumber(b)) {
            return (Boolean) PythonNumbers.binary(
                    a,
                    b,
                    (x, y) -> x == y,
                    (x, y) -> x == y,
                    (x, y) -> x.real() == y.real() && x.imaginary() == y.imaginary());
        }
        return a instanceof Tensor x && b instanceof Tensor y ? equalTensors(x, y) : Objects.equals(a, b);
    }

    /** Tensors of one element by their values; of others it cannot be said, as in PyTorch. */
    private static boolean equalTensors(Tensor a, Tensor b) {
        if (a.numel() != 1 || b.numel() != 1) {
            throw new IllegalArgumentException("Boolean value of Tensor with "
                    + (a.numel() == 0 ? "no values" : "more than one value") + " is ambiguous");
        }
        return equal(Tensors.item(a), Tensors.item(b)) || Objects.equals(Tensors.item(a), Tensors.item(b));
    }

    private static boolean isNumber(Object value) {
        return value instanceof Long || value instanceof Double || value instanceof Complex;
    }

    private static Object ordered(Object a, Object b, IntPredicate order) {
        return PythonNumbers.binary(
                a,
                b,
                (x, y) -> order.test(Long.compare(x, y)),
                (x, y) -> !Double.isNaN(x) && !Double.isNaN(y) && order.test(x < y ? -1 : x > y ? 1 : 0),
                null);
    }

    /** Identity; numbers, strings and the like have no identity of their own. */
    private static boolean same(Object a, Object b) {
        return a == b
                || a != null
                        && b != null
                        && (isNumber(a) || a instanceof Boolean || a instanceof String)
                        && a.equals(b);
    }

    private static void extremes(Registrar r, String name, boolean smallest) {
        for (String[] o : new String[][] {
            {".int", "int", "int", "int"},
            {".float", "float", "float", "float"},
            {".int_float", "int", "float", "float"},
            {".float_int", "float", "int", "float"},
            {"", "Scalar", "Scalar", "Scalar"}
        }) {
            r.op(
                    name + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> " + o[3],
                    in -> PythonNumbers.binary(
                            in[0],
                            in[1],
                            (a, b) -> smallest ? Math.min(a, b) : Math.max(a, b),
                            (a, b) -> smallest ? Math.min(a, b) : Math.max(a, b),
                            null));
        }
    }
}
