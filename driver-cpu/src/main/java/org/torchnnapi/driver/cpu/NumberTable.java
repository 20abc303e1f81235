package org.torchnnapi.driver.cpu;

import java.util.function.IntUnaryOperator;

/**
 * A function from numbers of 16 bits to such, each computed when it is first asked for; threads that ask at the same
 * time find the same.
 */
final class NumberTable {
    /** By the number's lower 16 bits; 0 also where none has asked. */
    private final short[] values = new short[1 << Short.SIZE];

    private final IntUnaryOperator function;

    NumberTable(IntUnaryOperator function) {
        this.function = function;
    }

    /** @param x within [-32768, 32767] */
    int at(int x) {
        int known = values[x & 0xffff];
        return known != 0 ? known : computed(x);
    }

    private int computed(int x) {
        int value = function.applyAsInt(x);
        values[x & 0xffff] = (short) value;
        return value;
    }
}
