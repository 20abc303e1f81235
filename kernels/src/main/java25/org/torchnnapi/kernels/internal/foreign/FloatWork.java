package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A C function that does units of work over float arrays. All of them have one signature, since each that is new takes milliseconds to
 * link.
 */
final class FloatWork {
    private static final FunctionDescriptor SIGNATURE = FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS,
        JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor PACKING = FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS,
        ADDRESS, ADDRESS);

    private final MethodHandle handle;

    FloatWork(String name) {
        handle = NativeLibrary.floatFunction(name, SIGNATURE);
    }

    /**
     * Does units [begin, end).
     *
     * @param plan the structure that the function takes
     * @param second a residual or a second operand; null for none
     * @param scratch floats the function may use, by no other thread
     */
    void run(MemorySegment plan, float[] in, int inOffset, float[] second, int secondOffset, float[] out, int outOffset, MemorySegment scratch,
             int begin, int end) {
        MemorySegment other = second == null ? MemorySegment.NULL : Segments.ofArray(second);
        try {
            handle.invokeExact(plan, Segments.ofArray(in), (long) inOffset, other, (long) secondOffset, Segments.ofArray(out),
                (long) outOffset, scratch, begin, end);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected(e);
        }
    }

    /** A function that packs weights [..out * outStep + channel * channelStep + tap] and pads the bias. */
    static MethodHandle packing(String name) {
        return NativeLibrary.floatFunction(name, PACKING);
    }
}
