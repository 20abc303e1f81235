package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;

/**
 * PyTorch's type promotion (torch.result_type): tensors with dimensions decide over zero-dimensional ones, those over
 * numbers, unless a lower group is of a higher kind.
 */
public final class Promotion {
    private DType dimensioned;
    private DType zeroDimensional;
    private DType numbers;

    /** The type in which operands (tensors or numbers) meet. */
    public static DType of(Object... operands) {
        Promotion p = new Promotion();
        for (Object operand : operands) {
            p.add(operand);
        }
        return p.result();
    }

    private void add(Object operand) {
        if (operand instanceof Tensor t) {
            if (t.rank() > 0) {
                dimensioned = merge(dimensioned, t.dtype());
            } else {
                zeroDimensional = merge(zeroDimensional, t.dtype());
            }
        } else {
            numbers = merge(numbers, ofNumber(operand));
        }
    }

    private DType result() {
        return combine(dimensioned, combine(zeroDimensional, numbers));
    }

    /** What PyTorch's messages call a type. */
    public static String scalarType(DType type) {
        return switch (type) {
            case FLOAT16 -> "Half";
            case BFLOAT16 -> "BFloat16";
            case FLOAT32 -> "Float";
            case FLOAT64 -> "Double";
            case UINT8 -> "Byte";
            case INT8 -> "Char";
            case INT16 -> "Short";
            case INT32 -> "Int";
            case INT64 -> "Long";
            case BOOL -> "Bool";
            case COMPLEX32 -> "ComplexHalf";
            case COMPLEX64 -> "ComplexFloat";
            case COMPLEX128 -> "ComplexDouble";
            default -> type.torchName();
        };
    }

    /** A real number of any kind as a double; bools count as 0 and 1. */
    public static double real(Object number) {
        return number instanceof Boolean b ? (b ? 1 : 0) : ((Number) number).doubleValue();
    }

    /** The type a Python number has beside tensors: int64, the default float32, bool or complex64. */
    public static DType ofNumber(Object number) {
        if (number instanceof Double) {
            return DType.FLOAT32;
        }
        if (number instanceof Boolean) {
            return DType.BOOL;
        }
        if (number instanceof Complex) {
            return DType.COMPLEX64;
        }
        return DType.INT64;
    }

    private static DType combine(DType higher, DType lower) {
        if (higher == null || lower == null) {
            return higher == null ? lower : higher;
        }
        if (higher.isComplex() || higher.isFloating() && !lower.isComplex()) {
            return higher;
        }
        if (higher.isFloating()) {
            return higher.complex();
        }
        if (higher == DType.BOOL || lower.isFloating() || lower.isComplex()) {
            return merge(higher, lower);
        }
        return higher;
    }

    /** torch.can_cast: kinds of numbers are ordered: bool, whole, real, complex; no cast goes down. */
    public static boolean canCast(DType from, DType to) {
        return kind(from) <= kind(to);
    }

    private static int kind(DType type) {
        return type.isComplex() ? 3 : type.isFloating() ? 2 : type == DType.BOOL ? 0 : 1;
    }

    /** torch.promote_types; null stands for no type. */
    public static DType merge(DType a, DType b) {
        if (a == null || a == b) {
            return b;
        }
        if (b == null) {
            return a;
        }
        if (a.isQuantized() || b.isQuantized()) {
            throw new IllegalArgumentException("dtypes: " + a.torchName() + " and " + b.torchName()
                    + " (expected: quantized types do not promote)");
        }
        if (a.isComplex() || b.isComplex()) {
            return merge(a.part(), b.part()).complex();
        }
        if (a.isFloating() || b.isFloating()) {
            if (!a.isFloating()) {
                return b;
            }
            if (!b.isFloating()) {
                return a;
            }
            return a == DType.FLOAT64 || b == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        }
        if (a == DType.BOOL || b == DType.BOOL) {
            return a == DType.BOOL ? b : a;
        }
        if (a.bytes() == b.bytes()) {
            return DType.INT16;
        }
        return a.bytes() > b.bytes() ? a : b;
    }

    /** The type itself, or the default float32 for integers and bool. */
    public static DType floating(DType type) {
        return type.isIntegral() ? DType.FLOAT32 : type;
    }
}
