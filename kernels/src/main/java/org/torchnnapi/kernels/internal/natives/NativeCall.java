package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.tensor.platform.Reachability;

/** A C kernel with the signature of call.h. */
record NativeCall(long function) {
    static NativeCall of(String name) {
        return new NativeCall(NativeLibrary.function(name));
    }

    /** The bytes of scratch that a kernel needs, which another of these functions writes. */
    long scratchSize(NativeMemory plan) {
        long[] size = new long[1];
        run(plan, null, 0, null, 0, size, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        return size[0];
    }

    /**
     * Each operand is an array of the heap, native memory, or null; offsets are in elements. What the numbers mean,
     * each kernel says in C.
     */
    void run(
            Object plan,
            Object a,
            long aOffset,
            Object b,
            long bOffset,
            Object out,
            long outOffset,
            int op,
            int n,
            int m,
            int k,
            int i,
            int j,
            float p,
            float q) {
        NativeLibrary.run(
                function,
                array(plan),
                address(plan),
                array(a),
                address(a),
                aOffset,
                array(b),
                address(b),
                bOffset,
                array(out),
                address(out),
                outOffset,
                op,
                n,
                m,
                k,
                i,
                j,
                p,
                q);
        Reachability.fence(plan);
        Reachability.fence(a);
        Reachability.fence(b);
        Reachability.fence(out);
    }

    private static Object array(Object operand) {
        return operand instanceof NativeMemory ? null : operand;
    }

    private static long address(Object operand) {
        return operand instanceof NativeMemory memory ? NativeMemory.address(memory) : 0;
    }
}
