package org.torchnnapi.kernels.internal.natives;

import java.nio.FloatBuffer;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.tensor.platform.Reachability;

/** A C function that brings weights into the order of a kernel. */
final class FloatPacking {
    private final long function;

    FloatPacking(String name) {
        function = NativeLibrary.floatFunction(name);
    }

    /**
     * @param plan the structure of the kernel
     * @param weights [.. + out * outStep + channel * channelStep + tap]
     * @param taps which of them, in the order of the plan; null for all
     * @param packed receives the weights, zero before
     */
    void run(NativeMemory plan, float[] weights, long outStep, long channelStep, int[] taps, NativeMemory packed) {
        NativeLibrary.pack(function, NativeMemory.address(plan), weights, outStep, channelStep, taps, NativeMemory.address(packed));
        Reachability.fence(plan);
        Reachability.fence(packed);
    }

    /** Numbers of the channels of each group, filled up with zeros. */
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
