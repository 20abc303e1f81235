package org.torchnnapi.operators.builtin;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/**
 * {@code int(..)}, {@code float(..)}, {@code bool(..)}, {@code complex(..)}, {@code str(..)} and their implicit forms.
 */
public final class ConversionOperators implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("aten::Int.Tensor(Tensor a) -> int", in -> toInt(item(in[0])), OperatorTrait.ITEM);
        r.op("aten::Int.bool(bool a) -> int", in -> PythonNumbers.integer(in[0]));
        r.op("aten::Int.float(float a) -> int", in -> toInt(in[0]));
        r.op("aten::Int.Scalar(Scalar a) -> int", in -> toInt(in[0]));
        r.op("aten::Int.str(str a) -> int", in -> NumberParsing.integer((String) in[0]));
        r.op("aten::Float.Tensor(Tensor a) -> float", in -> PythonNumbers.real(item(in[0])), OperatorTrait.ITEM);
        r.op("aten::Float.Scalar(Scalar a) -> float", in -> PythonNumbers.real(in[0]), OperatorTrait.TOTAL);
        r.op("aten::Float.int(int a) -> float", in -> PythonNumbers.real(in[0]), OperatorTrait.TOTAL);
        r.op("aten::Float.bool(bool a) -> float", in -> PythonNumbers.real(in[0]), OperatorTrait.TOTAL);
        r.op("aten::Float.str(str a) -> float", in -> NumberParsing.real((String) in[0]));
        r.op("aten::Bool.Tensor(Tensor a) -> bool", in -> isTrue(item(in[0])), OperatorTrait.ITEM);
        r.op("aten::Bool.int(int a) -> bool", in -> isTrue(in[0]), OperatorTrait.TOTAL);
        r.op("aten::Bool.float(float a) -> bool", in -> isTrue(in[0]), OperatorTrait.TOTAL);
        r.op("aten::Complex.Scalar(Scalar a) -> complex", in -> PythonNumbers.complex(in[0]));
        r.op("aten::Complex.Tensor_Tensor(Tensor a, Tensor b) -> complex", in -> complex(item(in[0]), item(in[1])));
        for (String[] o : new String[][] {
            {"int_int", "int", "int"},
            {"float_float", "float", "float"},
            {"int_float", "int", "float"},
            {"float_int", "float", "int"},
            {"bool_bool", "bool", "bool"},
            {"bool_int", "bool", "int"},
            {"int_bool", "int", "bool"},
            {"bool_float", "bool", "float"},
            {"float_bool", "float", "bool"}
        }) {
            r.op("aten::Complex." + o[0] + "(" + o[1] + " x, " + o[2] + " y) -> complex", in -> complex(in[0], in[1]));
        }
        for (String other : new String[] {"float", "int", "bool"}) {
            r.op(
                    "aten::Complex.Tensor_" + other + "(Tensor x, " + other + " y) -> complex",
                    in -> complex(item(in[0]), in[1]));
            r.op(
                    "aten::Complex." + other + "_Tensor(" + other + " x, Tensor y) -> complex",
                    in -> complex(in[0], item(in[1])));
        }
        r.op("aten::FloatImplicit(Tensor a) -> float", in -> PythonNumbers.real(item(in[0])), OperatorTrait.ITEM);
        r.op("aten::IntImplicit(Tensor a) -> int", in -> implicitInt(item(in[0])), OperatorTrait.ITEM);
        r.op(
                "aten::ComplexImplicit(Tensor a) -> complex",
                in -> PythonNumbers.complex(item(in[0])),
                OperatorTrait.ITEM);
        r.op("aten::ScalarImplicit(Tensor a) -> Scalar", in -> item(in[0]), OperatorTrait.ITEM);
        r.op("prim::NumToTensor.Scalar(Scalar a) -> Tensor", in -> toTensor(in[0]));
        r.op("prim::NumToTensor.bool(bool a) -> Tensor", in -> toTensor(in[0]));
        r.op("aten::str(t elem) -> str", in -> Text.of(in[0]));
        ByteText.operators(r).op("aten::ord(str string) -> int", in -> (long) single((String) in[0]));
        ByteText.operators(r).op("aten::chr(int i) -> str", in -> character((Long) in[0]));
        r.op("aten::hex(int i) -> str", in -> based((Long) in[0], "0x", 16));
        r.op("aten::oct(int i) -> str", in -> based((Long) in[0], "0o", 8));
        r.op("aten::bin(int i) -> str", in -> based((Long) in[0], "0b", 2));
        r.op("aten::hash.generic(t value) -> int", in -> Hashes.of(in[0]));
    }

    /** The number in a tensor of one element; a complex one that is real, as a real one. */
    static Object item(Object value) {
        Object number = Tensors.item((Tensor) value);
        return number instanceof Complex c && c.imaginary() == 0 ? (Object) c.real() : number;
    }

    private static Tensor toTensor(Object value) {
        if (value instanceof Boolean b) {
            return Tensor.of(DType.BOOL, new boolean[] {b});
        }
        return value instanceof Long n
                ? Tensor.of(new long[] {n})
                : Tensor.of(DType.FLOAT32, new float[] {(float) PythonNumbers.real(value)});
    }

    private static long toInt(Object value) {
        return value instanceof Double d ? Elements.toLong(d) : PythonNumbers.integer(value);
    }

    private static long implicitInt(Object value) {
        if (value instanceof Double) {
            throw new IllegalArgumentException(
                    "tensor: of a floating dtype (expected: an integer one, as an int is wanted)");
        }
        return PythonNumbers.integer(value);
    }

    private static boolean isTrue(Object value) {
        return value instanceof Boolean b ? b : value instanceof Complex || PythonNumbers.real(value) != 0;
    }

    private static Complex complex(Object real, Object imaginary) {
        return new Complex(PythonNumbers.real(real), PythonNumbers.real(imaginary));
    }

    private static char single(String text) {
        if (text.length() != 1) {
            throw new IllegalArgumentException("String for ord() must be 1 character, found " + text.length());
        }
        return text.charAt(0);
    }

    /** The byte that is left of a number; it is checked as if it were a character's. */
    private static String character(long code) {
        if (code < 0 || code >= Character.MAX_CODE_POINT) {
            throw new IllegalArgumentException("chr() arg not in range(0x110000), found " + code);
        }
        return String.valueOf((char) (code & 0xff));
    }

    private static String based(long value, String prefix, int radix) {
        return (value < 0 ? "-" + prefix : prefix) + Long.toUnsignedString(Math.abs(value), radix);
    }
}
