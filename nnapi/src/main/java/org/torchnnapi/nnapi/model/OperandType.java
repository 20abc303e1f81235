package org.torchnnapi.nnapi.model;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The operand types of NNAPI 1.0 to 1.3, those that vendors gave a meaning of their own before there were extensions
 * (OEM), and two for all types of extensions: which of them an operand has, {@link OperandDescriptor#extension} says.
 */
public enum OperandType {
    FLOAT32(Kind.SCALAR, Element.FLOAT32, V1_0),
    INT32(Kind.SCALAR, Element.INT32, V1_0),
    UINT32(Kind.SCALAR, Element.INT32, V1_0),
    TENSOR_FLOAT32(Kind.TENSOR, Element.FLOAT32, V1_0),
    TENSOR_INT32(Kind.TENSOR, Element.INT32, V1_0),
    TENSOR_QUANT8_ASYMM(Kind.QUANTIZED, Element.UINT8, V1_0),
    BOOL(Kind.SCALAR, Element.BOOL8, V1_2),
    TENSOR_QUANT16_SYMM(Kind.QUANTIZED, Element.INT16, V1_2),
    TENSOR_FLOAT16(Kind.TENSOR, Element.FLOAT16, V1_2),
    TENSOR_BOOL8(Kind.TENSOR, Element.BOOL8, V1_2),
    FLOAT16(Kind.SCALAR, Element.FLOAT16, V1_2),
    TENSOR_QUANT8_SYMM_PER_CHANNEL(Kind.QUANTIZED, Element.INT8, V1_2),
    TENSOR_QUANT16_ASYMM(Kind.QUANTIZED, Element.UINT16, V1_2),
    TENSOR_QUANT8_SYMM(Kind.QUANTIZED, Element.INT8, V1_2),
    TENSOR_QUANT8_ASYMM_SIGNED(Kind.QUANTIZED, Element.INT8, V1_3),
    SUBGRAPH(Kind.MODEL, Element.NONE, V1_3),
    OEM_SCALAR(OperandType.OEM, Kind.SCALAR, Element.OPAQUE, V1_0),
    TENSOR_OEM_BYTE(OperandType.OEM + 1, Kind.TENSOR, Element.OPAQUE, V1_0),
    EXTENSION_SCALAR(OperandType.CODED_BY_EXTENSION, Kind.SCALAR, Element.OPAQUE, V1_2),
    EXTENSION_TENSOR(OperandType.CODED_BY_EXTENSION, Kind.TENSOR, Element.OPAQUE, V1_2);

    private enum Kind {
        SCALAR,
        TENSOR,
        QUANTIZED,
        MODEL
    }

    /** How one element is stored, little-endian. */
    public enum Element {
        FLOAT32(4, 0, 0),
        FLOAT16(2, 0, 0),
        INT32(4, Integer.MIN_VALUE, Integer.MAX_VALUE),
        INT16(2, Short.MIN_VALUE, Short.MAX_VALUE),
        UINT16(2, 0, 0xFFFF),
        INT8(1, Byte.MIN_VALUE, Byte.MAX_VALUE),
        UINT8(1, 0, 0xFF),
        BOOL8(1, 0, 1),
        /** Bytes that a vendor's device alone understands. */
        OPAQUE(1, 0, 0),
        NONE(0, 0, 0);

        private final int bytes;
        private final int min;
        private final int max;

        Element(int bytes, int min, int max) {
            this.bytes = bytes;
            this.min = min;
            this.max = max;
        }

        /** Bytes of one element. */
        public int bytes() {
            return bytes;
        }

        /** The smallest stored integer; 0 for the float elements. */
        public int min() {
            return min;
        }

        /** The largest stored integer; 0 for the float elements. */
        public int max() {
            return max;
        }

        /** Whether its numbers are real ones, of 16 or 32 bits. */
        public boolean isFloat() {
            return this == FLOAT32 || this == FLOAT16;
        }
    }

    private static final int OEM = 10_000;
    private static final int CODED_BY_EXTENSION = -1;
    private static final OperandType[] BY_CODE = values();
    private static final Set<OperandType> STANDARD = Collections.unmodifiableSet(EnumSet.range(FLOAT32, SUBGRAPH));

    private final int code;
    private final Kind kind;
    private final Element element;
    private final FeatureLevel since;

    OperandType(Kind kind, Element element, FeatureLevel since) {
        this.code = ordinal();
        this.kind = kind;
        this.element = element;
        this.since = since;
    }

    OperandType(int code, Kind kind, Element element, FeatureLevel since) {
        this.code = code;
        this.kind = kind;
        this.element = element;
        this.since = since;
    }

    /** The types that the specification defines. */
    public static Set<OperandType> standard() {
        return STANDARD;
    }

    /** The specification's number; -1 for types of extensions, which a process numbers as it meets them. */
    public int code() {
        return code;
    }

    /** Whether it stands for types of extensions. */
    public boolean isExtension() {
        return code == CODED_BY_EXTENSION;
    }

    /** How an element lies in memory. */
    public Element element() {
        return element;
    }

    /**
     * Bytes of one element; 0 for SUBGRAPH, 1 for types of extensions, whose sizes
     * {@link OperandDescriptor#elementBytes} tells.
     */
    public int elementBytes() {
        return element.bytes();
    }

    /** The release that introduced the type. */
    public FeatureLevel since() {
        return since;
    }

    public boolean isScalar() {
        return kind == Kind.SCALAR;
    }

    public boolean isTensor() {
        return kind == Kind.TENSOR || kind == Kind.QUANTIZED;
    }

    /**
     * Whether elements stand for {@code (element - zeroPoint) * scale}. TENSOR_INT32 may carry a scale (biases) but is
     * not counted here.
     */
    public boolean isQuantized() {
        return kind == Kind.QUANTIZED;
    }

    /** Whether it is a float tensor or scalar of either width. */
    public boolean isFloat() {
        return element.isFloat();
    }

    /** @throws NnapiException BAD_DATA if no type has this code */
    public static OperandType ofCode(int code) {
        if (code == OEM || code == OEM + 1) {
            return code == OEM ? OEM_SCALAR : TENSOR_OEM_BYTE;
        }
        if (code < 0 || code >= STANDARD.size()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "operand type code: " + code + " (expected: 0 to " + (STANDARD.size() - 1) + ", " + OEM + " or "
                            + (OEM + 1) + ")");
        }
        return BY_CODE[code];
    }
}
