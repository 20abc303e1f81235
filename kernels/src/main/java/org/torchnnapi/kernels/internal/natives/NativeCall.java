package org.torchnnapi.kernels.internal.natives;

/** Operands that may be arrays of the heap or memory outside of it, as calls of C take them. */
final class NativeCall {
    private NativeCall() {}

    /** The array; null where the operand is memory or there is none. */
    static Object array(Object operand) {
        return operand instanceof NativeMemory ? null : operand;
    }

    /** The address of memory, which is to be kept until the call returns; 0 where the operand is an array. */
    static long address(Object operand) {
        return operand instanceof NativeMemory memory ? NativeMemory.address(memory) : 0;
    }
}
