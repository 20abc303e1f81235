package org.torchnnapi.program.op;

import org.torchnnapi.program.ValueType;

/** What the bytes of a value stand for. */
final class ByteValues {
    private ByteValues() {}

    /** By the unsigned value of a byte: {@code (byte - zeroPoint) * scale} in float; of flags 0 or 1. */
    static float[] of(ValueType type) {
        float[] values = new float[256];
        for (int i = 0; i < values.length; i++) {
            int stored = type.element().isSigned() ? (byte) i : i;
            values[i] = type.isQuantized() ? (stored - type.zeroPoint()) * type.scale() : i == 0 ? 0 : 1;
        }
        return values;
    }
}
