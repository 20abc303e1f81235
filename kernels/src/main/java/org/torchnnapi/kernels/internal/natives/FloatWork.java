package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.tensor.platform.Reachability;

/** A C function that does units of work over float arrays. */
final class FloatWork {
    private final long function;

    FloatWork(String name) {
        this(NativeLibrary.floatFunction(name));
    }

    FloatWork(long function) {
        this.function = function;
    }

    /**
     * Does units [begin, end).
     *
     * @param plan the structure that the function takes
     * @param second a residual or a second operand; null for none
     * @param scratch floats the function may use, by no other thread; null for none
     */
    void run(
            NativeMemory plan,
            float[] in,
            int inOffset,
            float[] second,
            int secondOffset,
            float[] out,
            int outOffset,
            NativeMemory scratch,
            int begin,
            int end) {
        NativeLibrary.work(
                function,
                NativeMemory.address(plan),
                in,
                inOffset,
                second,
                secondOffset,
                out,
                outOffset,
                NativeMemory.address(scratch),
                begin,
                end);
        Reachability.fence(plan);
        Reachability.fence(scratch);
    }
}
