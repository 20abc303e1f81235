package org.torchnnapi.operators.builtin;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;

/** Python's {@code math} module on numbers. */
public final class ScalarMath implements OperatorFamily {
    private static final SortedMap<String, DoubleUnaryOperator> UNARY = new TreeMap<>(Map.ofEntries(
            Map.entry("log", Math::log),
            Map.entry("log1p", Math::log1p),
            Map.entry("log10", Math::log10),
            Map.entry("exp", Math::exp),
            Map.entry("expm1", Math::expm1),
            Map.entry("sqrt", Math::sqrt),
            Map.entry("sin", Math::sin),
            Map.entry("cos", Math::cos),
            Map.entry("tan", Math::tan),
            Map.entry("asin", Math::asin),
            Map.entry("acos", Math::acos),
            Map.entry("atan", Math::atan),
            Map.entry("sinh", Math::sinh),
            Map.entry("cosh", Math::cosh),
            Map.entry("tanh", Math::tanh),
            Map.entry("asinh", ScalarMath::asinh),
            Map.entry("acosh", x -> Math.log(x + Math.sqrt(x * x - 1))),
            Map.entry("atanh", x -> 0.5 * (Math.log1p(x) - Math.log1p(-x))),
            Map.entry("degrees", Math::toDegrees),
            Map.entry("radians", Math::toRadians),
            Map.entry("fabs", Math::abs),
            Map.entry("erf", GammaAndErrorFunctions::erf),
            Map.entry("erfc", GammaAndErrorFunctions::erfc),
            Map.entry("lgamma", GammaAndErrorFunctions::lgamma),
            Map.entry("gamma", GammaAndErrorFunctions::gamma)));

    private static final SortedMap<String, DoubleBinaryOperator> BINARY = new TreeMap<>(Map.of(
            "fmod",
            (a, b) -> a % b,
            "atan2",
            Math::atan2,
            "copysign",
            Math::copySign,
            "mathremainder",
            Math::IEEEremainder));

    @Override
    public void register(Registrar r) {
        UNARY.forEach((name, function) -> {
            r.op("aten::" + name + ".int(int a) -> float", in -> function.applyAsDouble(PythonNumbers.real(in[0])));
            r.op("aten::" + name + ".float(float a) -> float", in -> function.applyAsDouble((Double) in[0]));
            r.op(
                    "aten::" + name + ".Scalar(Scalar a) -> Scalar",
                    in -> function.applyAsDouble(PythonNumbers.real(in[0])));
        });
        BINARY.forEach((name, function) -> {
            for (String[] o : new String[][] {
                {".int", "int", "int"},
                {".float", "float", "float"},
                {".int_float", "int", "float"},
                {".float_int", "float", "int"},
                {name.equals("atan2") ? ".Scalar_Scalar" : "", "Scalar", "Scalar"}
            }) {
                r.op(
                        "aten::" + name + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> float",
                        in -> function.applyAsDouble(PythonNumbers.real(in[0]), PythonNumbers.real(in[1])));
            }
        });
        for (String[] o : new String[][] {
            {"int_int", "int", "int"},
            {"float_float", "float", "float"},
            {"int_float", "int", "float"},
            {"float_int", "float", "int"},
            {"Scalar_Scalar", "Scalar", "Scalar"}
        }) {
            r.op(
                    "aten::log." + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> float",
                    in -> Math.log(PythonNumbers.real(in[0])) / Math.log(PythonNumbers.real(in[1])));
        }
        rounding(r, "floor", Math::floor);
        rounding(r, "ceil", Math::ceil);
        r.op("aten::round.int(int a) -> float", in -> PythonNumbers.real(in[0]));
        r.op("aten::round.float(float a) -> float", in -> Math.rint((Double) in[0]));
        r.op("aten::round.Scalar(Scalar a) -> Scalar", in -> Math.rint(PythonNumbers.real(in[0])));
        r.op("aten::ldexp(float x, int i) -> float", in -> (Double) in[0] * Math.pow(2, (Long) in[1]));
        r.op("aten::frexp(float a) -> (float mantissa, int exponent)", in -> frexp((Double) in[0]));
        r.op("aten::modf(float a) -> (float, float)", in -> {
            double whole = (Double) in[0] < 0 ? Math.ceil((Double) in[0]) : Math.floor((Double) in[0]);
            return new Object[] {(Double) in[0] - whole, whole};
        });
        r.op(
                "aten::gcd.int(int a, int b) -> int",
                in -> BigInteger.valueOf((Long) in[0])
                        .gcd(BigInteger.valueOf((Long) in[1]))
                        .longValue());
        r.op("aten::factorial.int(int a) -> int", in -> factorial((Long) in[0]));
    }

    private static void rounding(Registrar r, String name, DoubleUnaryOperator function) {
        r.op("aten::" + name + ".int(int a) -> int", in -> in[0]);
        r.op("aten::" + name + ".float(float a) -> int", in -> whole(function.applyAsDouble((Double) in[0])));
        r.op(
                "aten::" + name + ".Scalar(Scalar a) -> Scalar",
                in -> in[0] instanceof Long
                        ? in[0]
                        : (Object) whole(function.applyAsDouble(PythonNumbers.real(in[0]))));
    }

    private static long whole(double value) {
        // The largest int is no double: as in PyTorch the next one passes, and becomes what C++ makes of it.
        if (!(value >= Long.MIN_VALUE && value <= -(double) Long.MIN_VALUE)) {
            String text = Double.isNaN(value)
                    ? "nan"
                    : Double.isInfinite(value)
                            ? value > 0 ? "inf" : "-inf"
                            : new BigDecimal(value).setScale(6).toPlainString();
            throw new IllegalArgumentException("Cannot convert float " + text + " to integer");
        }
        return Elements.toLong(value);
    }

    private static double asinh(double x) {
        double magnitude = Math.abs(x);
        return Math.copySign(
                Math.log1p(magnitude + magnitude * magnitude / (1 + Math.sqrt(magnitude * magnitude + 1))), x);
    }

    private static Object[] frexp(double x) {
        if (x == 0 || Double.isNaN(x) || Double.isInfinite(x)) {
            return new Object[] {x, 0L};
        }
        int exponent = Math.getExponent(x);
        double mantissa = x;
        if (exponent < Double.MIN_EXPONENT) {
            mantissa *= 0x1p54;
            exponent = Math.getExponent(mantissa) - 54;
            mantissa *= 0x1p-54;
        }
        return new Object[] {Math.scalb(mantissa, -exponent - 1), (long) exponent + 1};
    }

    private static long factorial(long n) {
        if (n < 0 || n > 20) {
            throw new IllegalArgumentException("factorial: " + n + " (expected: 0 to 20)");
        }
        long product = 1;
        for (long i = 2; i <= n; i++) {
            product *= i;
        }
        return product;
    }
}
