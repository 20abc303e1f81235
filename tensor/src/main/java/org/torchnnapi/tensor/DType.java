package org.torchnnapi.tensor;

/** Element type of a tensor, with the number PyTorch writes for it in TorchScript (c10/core/ScalarType.h). */
public enum DType {
    UINT8(0, 1, Kind.INTEGER, "uint8"),
    INT8(1, 1, Kind.INTEGER, "int8"),
    INT16(2, 2, Kind.INTEGER, "int16"),
    INT32(3, 4, Kind.INTEGER, "int32"),
    INT64(4, 8, Kind.INTEGER, "int64"),
    FLOAT16(5, 2, Kind.FLOATING, "float16"),
    FLOAT32(6, 4, Kind.FLOATING, "float32"),
    FLOAT64(7, 8, Kind.FLOATING, "float64"),
    COMPLEX32(8, 4, Kind.COMPLEX, "complex32"),
    COMPLEX64(9, 8, Kind.COMPLEX, "complex64"),
    COMPLEX128(10, 16, Kind.COMPLEX, "complex128"),
    BOOL(11, 1, Kind.BOOLEAN, "bool"),
    QINT8(12, 1, Kind.QUANTIZED, "qint8"),
    QUINT8(13, 1, Kind.QUANTIZED, "quint8"),
    QINT32(14, 4, Kind.QUANTIZED, "qint32"),
    BFLOAT16(15, 2, Kind.FLOATING, "bfloat16"),
    /** Integers of 4 bits: a byte each here, two in a byte in files, the first in the low bits. */
    QUINT4X2(16, 1, Kind.QUANTIZED, "quint4x2");

    /** Families of element types; they order type promotion. */
    public enum Kind {
        /** Truth values. */
        BOOLEAN,
        /** Whole numbers, signed or not. */
        INTEGER,
        /** Real numbers. */
        FLOATING,
        /** Pairs of real numbers. */
        COMPLEX,
        /** Integers with a scale and a zero point. */
        QUANTIZED
    }

    private final int code;
    private final int bytes;
    private final Kind kind;
    private final String torchName;

    DType(int code, int bytes, Kind kind, String torchName) {
        this.code = code;
        this.bytes = bytes;
        this.kind = kind;
        this.torchName = torchName;
    }

    /** The number TorchScript code uses for this type, for example 6 for float32. */
    public int code() {
        return code;
    }

    /** Bytes one element takes in an archive. */
    public int bytes() {
        return bytes;
    }

    /** The family that this type belongs to. */
    public Kind kind() {
        return kind;
    }

    /** PyTorch's name without the {@code torch.} prefix, for example {@code float32}. */
    public String torchName() {
        return torchName;
    }

    /** Whether it is one of the floating-point types, bfloat16 among them; complex types are not. */
    public boolean isFloating() {
        return kind == Kind.FLOATING;
    }

    /** Whether its elements are pairs of floating-point numbers. */
    public boolean isComplex() {
        return kind == Kind.COMPLEX;
    }

    /** The type of a complex number's two parts; any other type itself. */
    public DType part() {
        return switch (this) {
            case COMPLEX32 -> FLOAT16;
            case COMPLEX64 -> FLOAT32;
            case COMPLEX128 -> FLOAT64;
            default -> this;
        };
    }

    /**
     * The complex type of numbers whose parts are of this type: complex64 for all that have none of their own, as
     * bfloat16.
     */
    public DType complex() {
        return switch (part()) {
            case FLOAT16 -> COMPLEX32;
            case FLOAT64 -> COMPLEX128;
            default -> COMPLEX64;
        };
    }

    /** Whether its elements are integers that stand for real numbers by a scale and a zero point. */
    public boolean isQuantized() {
        return kind == Kind.QUANTIZED;
    }

    /** True for integer types and bool: everything that is neither floating, complex nor quantized. */
    public boolean isIntegral() {
        return kind == Kind.INTEGER || kind == Kind.BOOLEAN;
    }

    /**
     * @param code TorchScript's number of a type
     * @throws IllegalArgumentException if no supported type has that number
     */
    public static DType ofCode(long code) {
        for (DType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "dtype code: " + code + " (expected: a supported torch.dtype number, " + "one of 0-16)");
    }

    /**
     * @param name PyTorch's name without prefix, for example {@code float32}
     * @throws IllegalArgumentException if no supported type has that name
     */
    public static DType ofName(String name) {
        for (DType type : values()) {
            if (type.torchName.equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "dtype: " + name + " (expected: a supported torch dtype such as float32, uint8, quint8)");
    }
}
