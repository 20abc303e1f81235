package org.torchnnapi.exported;

import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;

/** The numbers that programs have for element types, memory formats and layouts, which are not those of TorchScript. */
public final class ElementTypes {
    private static final Map<Long, DType> TYPES = new HashMap<>();
    private static final long STRIDED = 7;

    static {
        TYPES.put(1L, DType.UINT8);
        TYPES.put(2L, DType.INT8);
        TYPES.put(3L, DType.INT16);
        TYPES.put(4L, DType.INT32);
        TYPES.put(5L, DType.INT64);
        TYPES.put(6L, DType.FLOAT16);
        TYPES.put(7L, DType.FLOAT32);
        TYPES.put(8L, DType.FLOAT64);
        TYPES.put(9L, DType.COMPLEX32);
        TYPES.put(10L, DType.COMPLEX64);
        TYPES.put(11L, DType.COMPLEX128);
        TYPES.put(12L, DType.BOOL);
        TYPES.put(13L, DType.BFLOAT16);
    }

    private ElementTypes() {}

    /** @throws org.torchnnapi.torchscript.format.ArchiveException if tensors here have no such elements */
    static DType of(Json number) {
        DType type = TYPES.get(number.integer());
        if (type == null) {
            throw number.error(
                    "the number of an element type that tensors have here, 1 to 13; 28, 34 and 35 are uint16, "
                            + "uint32 and uint64, 29 to 33 float8");
        }
        return type;
    }

    /** As {@link #of}, null where there is no such type. */
    static DType orNull(Json number) {
        return number.isInteger() ? TYPES.get(number.integer()) : null;
    }

    /** The number of a type of elements; 0, which stands for none, of quantized ones, which programs do not have. */
    public static long number(DType type) {
        for (Map.Entry<Long, DType> entry : TYPES.entrySet()) {
            if (entry.getValue() == type) {
                return entry.getKey();
            }
        }
        return 0;
    }

    static MemoryFormat format(Json number) {
        return switch ((int) number.integer()) {
            case 1 -> MemoryFormat.CONTIGUOUS;
            case 2 -> MemoryFormat.CHANNELS_LAST;
            case 3 -> MemoryFormat.CHANNELS_LAST_3D;
            case 4 -> MemoryFormat.PRESERVE;
            default -> throw number.error("a memory format, 1 to 4");
        };
    }

    /** The number of a memory format. */
    public static long number(MemoryFormat format) {
        return switch (format) {
            case CONTIGUOUS -> 1;
            case CHANNELS_LAST -> 2;
            case CHANNELS_LAST_3D -> 3;
            default -> 4;
        };
    }

    /** The number of the layout that all tensors here have. */
    public static long strided() {
        return STRIDED;
    }

    /** TorchScript's number of a layout. */
    static long layout(Json number) {
        if (number.integer() != STRIDED) {
            throw number.error("7, the layout strided; sparse tensors are not read");
        }
        return 0;
    }
}
