package org.torchnnapi.kernels.internal.natives;

import java.nio.FloatBuffer;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.tensor.platform.Reachability;

/** A C function that brings weights into the order of a kernel and pads its bias. */
final class FloatPacking {
    private final long function;

    FloatPacking(String name) {
        this(NativeLibrary.floatFunction(name));
    }

    FloatPacking(long function) {
        this.function = function;
    }

    /**
     * @param plan the structure of the kernel
     * @param weights [.. + out * outStep + channel * channelStep + tap]
     * @param taps which of them, in the order of the plan; null for all
     * @param packed receives the weights, zero before
     * @param padded receives the bias, as {@link #padded} gives it
     */
    void run(
            NativeMemory plan,
            float[] weights,
            long outStep,
            long channelStep,
            int[] taps,
            float[] bias,
            NativeMemory packed,
            NativeMemory padded) {
        NativeLibrary.pack(
                function,
                NativeMemory.address(plan),
                weights,
                outStep,
                channelStep,
                taps,
                bias,
                NativeMemory.address(packed),
                NativeMemory.address(padded));
        Reachability.fence(plan);
        Reachability.fence(packed);
        Reachability.fence(padded);
    }

    /** The bias alone, for weights that were packed before: the numbers of each group, filled up with zeros. */
    static NativeMemory padded(float[] numbers, int groups, int paddedGroup) {
        NativeMemory memory = new NativeMemory((long) Float.BYTES * groups * paddedGroup);
        FloatBuffer floats = memory.bytes().asFloatBuffer();
        int each = numbers.length / groups;
        for (int group = 0; group < groups; group++) {
            Buffers.put(floats, group * paddedGroup, numbers, group * each, each);
        }
        return memory;
    }
}
