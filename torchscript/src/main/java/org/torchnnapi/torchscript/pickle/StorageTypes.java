package org.torchnnapi.torchscript.pickle;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.tensor.DType;

/** PyTorch's storage class names, for example {@code FloatStorage} (torch/storage.py). */
final class StorageTypes {
    private static final Map<String, DType> BY_NAME = new HashMap<>();
    private static final Map<DType, String> NAMES = new EnumMap<>(DType.class);

    static {
        add("ByteStorage", DType.UINT8);
        add("CharStorage", DType.INT8);
        add("ShortStorage", DType.INT16);
        add("IntStorage", DType.INT32);
        add("LongStorage", DType.INT64);
        add("HalfStorage", DType.FLOAT16);
        add("FloatStorage", DType.FLOAT32);
        add("DoubleStorage", DType.FLOAT64);
        add("ComplexHalfStorage", DType.COMPLEX32);
        add("ComplexFloatStorage", DType.COMPLEX64);
        add("ComplexDoubleStorage", DType.COMPLEX128);
        add("BoolStorage", DType.BOOL);
        add("QInt8Storage", DType.QINT8);
        add("QUInt8Storage", DType.QUINT8);
        add("QInt32Storage", DType.QINT32);
        add("BFloat16Storage", DType.BFLOAT16);
        add("QUInt4x2Storage", DType.QUINT4X2);
    }

    private StorageTypes() {}

    private static void add(String name, DType dtype) {
        BY_NAME.put(name, dtype);
        NAMES.put(dtype, name);
    }

    static Map<String, DType> byName() {
        return BY_NAME;
    }

    static String nameOf(DType dtype) {
        return NAMES.get(dtype);
    }
}
