package org.torchnnapi.operators.builtin;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Python's {@code cmath} module on complex numbers; inverse functions by their logarithmic forms (Abramowitz and Stegun
 * 4.4, 4.6).
 */
public final class ComplexMath implements OperatorFamily {
    private static final Complex I = new Complex(0, 1);
    private static final Complex ONE = new Complex(1, 0);

    private static final SortedMap<String, UnaryOperator<Complex>> UNARY = new TreeMap<>(Map.ofEntries(
            Map.entry("exp", ComplexMath::exp),
            Map.entry("log", ComplexMath::log),
            Map.entry("log10", z -> scaled(log(z), 1 / Math.log(10))),
            Map.entry("sqrt", ComplexMath::sqrt),
            Map.entry("sinh", ComplexMath::sinh),
            Map.entry("cosh", ComplexMath::cosh),
            Map.entry("tanh", z -> PythonNumbers.divide(sinh(z), cosh(z))),
            Map.entry("sin", z -> backward(sinh(forward(z)))),
            Map.entry("cos", z -> cosh(forward(z))),
            Map.entry("tan", z -> backward(PythonNumbers.divide(sinh(forward(z)), cosh(forward(z))))),
            Map.entry("asinh", ComplexMath::asinh),
            Map.entry("acosh", ComplexMath::acosh),
            Map.entry("atanh", ComplexMath::atanh),
            Map.entry("asin", z -> backward(asinh(forward(z)))),
            Map.entry("acos", ComplexMath::acos),
            Map.entry("atan", z -> backward(atanh(forward(z))))));

    @Override
    public void register(Registrar r) {
        UNARY.forEach((name, function) ->
                r.op("aten::" + name + ".complex(complex a) -> complex", in -> function.apply((Complex) in[0])));
        for (String[] o : new String[][] {
            {"complex", "complex", "complex"},
            {"complex_float", "complex", "float"},
            {"float_complex", "float", "complex"}
        }) {
            r.op(
                    "aten::pow." + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> complex",
                    in -> power(PythonNumbers.complex(in[0]), PythonNumbers.complex(in[1])));
        }
        for (String[] o : new String[][] {
            {"complex_complex", "complex", "complex"},
            {"int_complex", "int", "complex"},
            {"complex_int", "complex", "int"},
            {"float_complex", "float", "complex"},
            {"complex_float", "complex", "float"}
        }) {
            r.op(
                    "aten::log." + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> complex",
                    in -> PythonNumbers.divide(log(PythonNumbers.complex(in[0])), log(PythonNumbers.complex(in[1]))));
        }
        for (String[] o : new String[][] {
            {"int", "int", "int"},
            {"float", "float", "float"},
            {"int_float", "int", "float"},
            {"float_int", "float", "int"},
            {"Scalar_Scalar", "Scalar", "Scalar"}
        }) {
            r.op(
                    "aten::polar." + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> "
                            + (o[0].startsWith("Scalar") ? "Scalar" : "complex"),
                    in -> polar(PythonNumbers.real(in[0]), PythonNumbers.real(in[1])));
        }
        for (String type : new String[] {"int", "float", "complex", "Scalar"}) {
            r.op(
                    "aten::angle." + type + "(" + type + " a) -> " + (type.equals("Scalar") ? "Scalar" : "float"),
                    in -> angle(PythonNumbers.complex(in[0])));
        }
        r.op(
                "aten::sum.complex(complex[] self) -> complex",
                in -> ((ScriptList) in[0])
                        .items().stream().map(item -> (Complex) item).reduce(new Complex(0, 0), ComplexMath::add));
    }

    private static Complex polar(double size, double angle) {
        return new Complex(size * Math.cos(angle), size * Math.sin(angle));
    }

    private static double angle(Complex z) {
        return Math.atan2(z.imaginary(), z.real());
    }

    private static Complex add(Complex a, Complex b) {
        return new Complex(a.real() + b.real(), a.imaginary() + b.imaginary());
    }

    private static Complex scaled(Complex z, double factor) {
        return new Complex(z.real() * factor, z.imaginary() * factor);
    }

    /** {@code i z}. */
    private static Complex forward(Complex z) {
        return new Complex(-z.imaginary(), z.real());
    }

    /** {@code -i z}. */
    private static Complex backward(Complex z) {
        return new Complex(z.imaginary(), -z.real());
    }

    private static Complex exp(Complex z) {
        double size = Math.exp(z.real());
        return new Complex(size * Math.cos(z.imaginary()), size * Math.sin(z.imaginary()));
    }

    private static Complex log(Complex z) {
        return new Complex(Math.log(Math.hypot(z.real(), z.imaginary())), Math.atan2(z.imaginary(), z.real()));
    }

    private static Complex sqrt(Complex z) {
        double size = Math.hypot(z.real(), z.imaginary());
        if (size == 0) {
            return new Complex(0, z.imaginary());
        }
        double root = Math.sqrt((size + Math.abs(z.real())) / 2);
        double other = Math.abs(z.imaginary()) / (2 * root);
        return z.real() >= 0
                ? new Complex(root, Math.copySign(other, z.imaginary()))
                : new Complex(other, Math.copySign(root, z.imaginary()));
    }

    private static Complex sinh(Complex z) {
        return new Complex(
                Math.sinh(z.real()) * Math.cos(z.imaginary()), Math.cosh(z.real()) * Math.sin(z.imaginary()));
    }

    private static Complex cosh(Complex z) {
        return new Complex(
                Math.cosh(z.real()) * Math.cos(z.imaginary()), Math.sinh(z.real()) * Math.sin(z.imaginary()));
    }

    private static Complex asinh(Complex z) {
        return log(add(z, sqrt(add(PythonNumbers.multiply(z, z), ONE))));
    }

    private static Complex acosh(Complex z) {
        return log(add(z, PythonNumbers.multiply(sqrt(add(z, ONE)), sqrt(add(z, new Complex(-1, 0))))));
    }

    private static Complex atanh(Complex z) {
        return scaled(add(log(add(ONE, z)), scaled(log(add(ONE, scaled(z, -1))), -1)), 0.5);
    }

    private static Complex acos(Complex z) {
        Complex inner = add(z, PythonNumbers.multiply(I, sqrt(add(ONE, scaled(PythonNumbers.multiply(z, z), -1)))));
        return backward(log(inner));
    }

    private static Complex power(Complex a, Complex b) {
        if (a.real() == 0 && a.imaginary() == 0) {
            return b.real() == 0 && b.imaginary() == 0 ? ONE : new Complex(0, 0);
        }
        return exp(PythonNumbers.multiply(b, log(a)));
    }
}
