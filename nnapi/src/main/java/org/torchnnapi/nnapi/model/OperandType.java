package org.torchnnapi.nnapi.model;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;

/** The operand types of NNAPI 1.0 to 1.3; the constant's position is its code. */
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
    SUBGRAPH(Kind.MODEL, Element.NONE, V1_3);

    private enum Kind { SCALAR, TENSOR, QUANTIZED, MODEL }

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
        NONE(0, 0, 0);

        private final int bytes;
        private final int min;
        private final int max;

        Element(int bytes, int min, int max) {
            this.bytes = bytes;
            this.min = min;
            this.max = max;
        }

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

        public boolean isFloat() {
            return this == FLOAT32 || this == FLOAT16;
        }
    }

    private static final OperandType[] BY_CODE = values();

    private final Kind kind;
    private final Element element;
    private final FeatureLevel since;

    OperandType(Kind kind, Element element, FeatureLevel since) {
        this.kind = kind;
        this.element = element;
        this.since = since;
    }

    public int code() {
        return ordinal();
    }

    public Element element() {
        return element;
    }

    /** Bytes of one element; 0 for SUBGRAPH. */
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

    /** Whether elements stand for {@code (element - zeroPoint) * scale}. TENSOR_INT32 may carry a scale (biases) but is not counted here. */
    public boolean isQuantized() {
        return kind == Kind.QUANTIZED;
    }

    /** Whether it is a float tensor or scalar of either width. */
    public boolean isFloat() {
        return element.isFloat();
    }

    /** @throws NnapiException BAD_DATA if no type has this code */
    public static OperandType ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new NnapiException(ResultCode.BAD_DATA, "operand type code: " + code + " (expected: 0 to " + (BY_CODE.length - 1) + ")");
        }
        return BY_CODE[code];
    }
}
