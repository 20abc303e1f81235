package org.torchnnapi.program.op;

import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;

/** Elements of whatever kind as 32-bit numbers in the same order; of floats -0 is below 0, and a NaN above all. */
@FunctionalInterface
interface SortKeys {
    int at(int place);

    /** Those of a value; places count from its first element. */
    static SortKeys of(PlacedValue operand, RunMemory memory) {
        int first = operand.at(memory);
        return switch (operand.type().element()) {
            case FLOAT32 -> {
                float[] floats = operand.floats(memory);
                yield place -> {
                    int bits = Float.floatToIntBits(floats[first + place]);
                    return bits ^ bits >> 31 & Integer.MAX_VALUE;
                };
            }
            case INT32 -> {
                int[] ints = operand.ints(memory);
                yield place -> ints[first + place];
            }
            case INT8 -> {
                byte[] bytes = operand.bytes(memory);
                yield place -> bytes[first + place];
            }
            case UINT8, BOOL8 -> {
                byte[] bytes = operand.bytes(memory);
                yield place -> bytes[first + place] & 0xff;
            }
        };
    }
}
