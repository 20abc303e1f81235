package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A C kernel with the signature of call.h, the same for all, since every other one costs milliseconds of linking at the start. Kept in
 * a constant, so that the compiler sees through it to the call.
 */
record NativeCall(MethodHandle handle) {
    private static final FunctionDescriptor SIGNATURE = FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS,
        JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_FLOAT, JAVA_FLOAT);

    static NativeCall of(String name) {
        return new NativeCall(NativeLibrary.function(name, SIGNATURE));
    }

    /** The bytes of scratch that a kernel needs, which another of these functions writes. */
    long scratchSize(MemorySegment plan) {
        long[] size = new long[1];
        run(plan, MemorySegment.NULL, 0, MemorySegment.NULL, 0, MemorySegment.ofArray(size), 0, 0, 0, 0, 0, 0, 0, 0, 0);
        return size[0];
    }

    /** Offsets in elements; what the numbers mean, each kernel says in C. */
    void run(MemorySegment plan, MemorySegment a, long aOffset, MemorySegment b, long bOffset, MemorySegment out, long outOffset, int op, int n,
             int m, int k, int i, int j, float p, float q) {
        try {
            handle.invokeExact(plan, a, aOffset, b, bOffset, out, outOffset, op, n, m, k, i, j, p, q);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
