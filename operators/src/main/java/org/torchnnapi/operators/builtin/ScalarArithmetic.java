package org.torchnnapi.operators.builtin;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/** {@code + - * / // % **} and bit operations on numbers. */
public final class ScalarArithmetic implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        Registrar total = r.with(OperatorTrait.TOTAL);
        numeric(
                total,
                "aten::add",
                true,
                (a, b) -> a + b,
                (a, b) -> a + b,
                (a, b) -> new Complex(a.real() + b.real(), a.imaginary() + b.imaginary()));
        numeric(
                total,
                "aten::sub",
                true,
                (a, b) -> a - b,
                (a, b) -> a - b,
                (a, b) -> new Complex(a.real() - b.real(), a.imaginary() - b.imaginary()));
        numeric(total, "aten::mul", true, (a, b) -> a * b, (a, b) -> a * b, PythonNumbers::multiply);
        r.op("aten::div.int(int a, int b) -> float", in -> PythonNumbers.real(in[0]) / PythonNumbers.real(in[1]));
        r.op("aten::div.float(float a, float b) -> float", in -> PythonNumbers.real(in[0]) / PythonNumbers.real(in[1]));
        r.op(
                "aten::div.complex(complex a, complex b) -> complex",
                in -> PythonNumbers.divide((Complex) in[0], (Complex) in[1]));
        r.op("aten::div(Scalar a, Scalar b) -> float", in -> PythonNumbers.real(in[0]) / PythonNumbers.real(in[1]));
        Registrar quotients = r.with(OperatorTrait.QUOTIENT);
        numeric(quotients, "aten::floordiv", false, PythonNumbers::floorDiv, (a, b) -> Math.floor(a / b), null);
        numeric(quotients, "aten::remainder", false, PythonNumbers::floorMod, PythonNumbers::remainder, null);
        r.op(
                "aten::__round_to_zero_floordiv.int(int a, int b) -> int",
                in -> (Long) in[0] / PythonNumbers.nonZero((Long) in[1]));
        power(r);
        bits(r, total);
        for (String type : new String[] {"int", "float", "complex"}) {
            total.op("aten::neg." + type + "(" + type + " a) -> " + type, in -> negative(in[0]));
        }
        total.op("aten::neg.Scalar(Scalar a) -> Scalar", in -> negative(in[0]));
        r.op("prim::abs.int(int a) -> int", in -> Math.abs((Long) in[0]));
        r.op("prim::abs.float(float a) -> float", in -> Math.abs((Double) in[0]));
        r.op("prim::abs.complex(complex a) -> float", in -> absolute(in[0]));
        r.op("prim::abs.Scalar(Scalar a) -> Scalar", in -> absolute(in[0]));
        r.op(
                "prim::abs(Tensor x) -> Tensor",
                in -> OperatorRegistry.standard().find("aten::abs").kernel().call(in));
        r.op("aten::divmod.int(int x, int y) -> (int, int)", in -> new Object[] {
            PythonNumbers.floorDiv((Long) in[0], (Long) in[1]), PythonNumbers.floorMod((Long) in[0], (Long) in[1])
        });
        for (String[] types : new String[][] {
            {"float", "float", "float"}, {"int", "float", "int_float"}, {"float", "int", "float_int"}
        }) {
            r.op("aten::divmod." + types[2] + "(" + types[0] + " x, " + types[1] + " y) -> (float, float)", in -> {
                if (PythonNumbers.real(in[1]) == 0) {
                    throw new IllegalArgumentException("ZeroDivisionError: float divmod()");
                }
                double rest = PythonNumbers.floorMod(PythonNumbers.real(in[0]), PythonNumbers.real(in[1]));
                return new Object[] {(PythonNumbers.real(in[0]) - rest) / PythonNumbers.real(in[1]), rest};
            });
        }
    }

    /** The overloads of an operation whose result has the type of the wider operand. */
    private static void numeric(
            Registrar r,
            String name,
            boolean complex,
            PythonNumbers.Longs longs,
            PythonNumbers.Doubles doubles,
            PythonNumbers.Complexes complexes) {
        String[][] overloads = {
            {"int", "int", "int", "int"},
            {"float", "float", "float", "float"},
            {"int_float", "int", "float", "float"},
            {"float_int", "float", "int", "float"},
            {"complex", "complex", "complex", "complex"},
            {"int_complex", "int", "complex", "complex"},
            {"complex_int", "complex", "int", "complex"},
            {"float_complex", "float", "complex", "complex"},
            {"complex_float", "complex", "float", "complex"}
        };
        for (String[] overload : overloads) {
            if (complex || !overload[3].equals("complex")) {
                r.op(
                        name + "." + overload[0] + "(" + overload[1] + " a, " + overload[2] + " b) -> " + overload[3],
                        in -> PythonNumbers.binary(in[0], in[1], longs, doubles, complexes));
            }
        }
        r.op(
                name + "(Scalar a, Scalar b) -> Scalar",
                in -> PythonNumbers.binary(in[0], in[1], longs, doubles, complexes));
    }

    private static void power(Registrar r) {
        for (String[] o : new String[][] {
            {"int", "int", "int"},
            {"float", "float", "float"},
            {"int_float", "int", "float"},
            {"float_int", "float", "int"}
        }) {
            r.op(
                    "aten::pow." + o[0] + "(" + o[1] + " a, " + o[2] + " b) -> float",
                    in -> power(PythonNumbers.real(in[0]), PythonNumbers.real(in[1])));
        }
        r.op(
                "aten::pow.Scalar_Scalar(Scalar a, Scalar b) -> float",
                in -> power(PythonNumbers.real(in[0]), PythonNumbers.real(in[1])));
        r.op("aten::pow.int_to_int(int a, int b) -> int", in -> (long) Math.pow((Long) in[0], (Long) in[1]));
    }

    private static double power(double base, double exponent) {
        if (base == 0 && exponent < 0) {
            throw new IllegalArgumentException("0.0 cannot be raised to a negative power");
        }
        return Math.pow(base, exponent);
    }

    private static void bits(Registrar r, Registrar total) {
        total.op("aten::__and__.int(int a, int b) -> int", in -> (Long) in[0] & (Long) in[1]);
        total.op("aten::__or__.int(int a, int b) -> int", in -> (Long) in[0] | (Long) in[1]);
        r.op("aten::__xor__.int(int a, int b) -> int", in -> (Long) in[0] ^ (Long) in[1]);
        r.op("aten::__lshift__.int(int a, int b) -> int", in -> (Long) in[0] << shift(in[1]));
        r.op("aten::__rshift__.int(int a, int b) -> int", in -> (Long) in[0] >> shift(in[1]));
        total.op("aten::__and__.bool(bool a, bool b) -> bool", in -> (Boolean) in[0] & (Boolean) in[1]);
        total.op("aten::__or__.bool(bool a, bool b) -> bool", in -> (Boolean) in[0] | (Boolean) in[1]);
        r.op("aten::__xor__.bool(bool a, bool b) -> bool", in -> (Boolean) in[0] ^ (Boolean) in[1]);
        total.op("aten::__not__(bool self) -> bool", in -> !(Boolean) in[0]);
    }

    private static long shift(Object count) {
        long value = (Long) count;
        if (value < 0 || value > 63) {
            throw new IllegalArgumentException("shift: " + value + " (expected: 0 to 63)");
        }
        return value;
    }

    private static Object negative(Object value) {
        return PythonNumbers.binary(
                0L, value, (a, b) -> -b, (a, b) -> -b, (a, b) -> new Complex(-b.real(), -b.imaginary()));
    }

    private static Object absolute(Object value) {
        return PythonNumbers.binary(
                0L, value, (a, b) -> Math.abs(b), (a, b) -> Math.abs(b), (a, b) -> Math.hypot(b.real(), b.imaginary()));
    }
}
