package org.torchnnapi.benchmarks.peers;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Which processors a thread may use, on Linux; elsewhere nothing is pinned. */
final class Affinity {
    private static final int MASK_BYTES = 128;

    private Affinity() {}

    /**
     * Confines the calling thread to some of the processors it may use now. Threads and processes that it starts
     * inherit that, so that an engine's workers stay on the same ones.
     *
     * @param processors how many; with fewer there, all are kept
     */
    static void confine(int processors) {
        if (!System.getProperty("os.name").equals("Linux")) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES);
            call("sched_getaffinity", mask);
            int left = processors;
            for (int bit = 0; bit < 8 * MASK_BYTES; bit++) {
                byte before = mask.get(ValueLayout.JAVA_BYTE, bit / 8);
                if ((before >> bit % 8 & 1) != 0 && --left < 0) {
                    mask.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (before & ~(1 << bit % 8)));
                }
            }
            call("sched_setaffinity", mask);
        }
    }

    /** Both take a thread (0: the caller), the bytes of the mask and the mask. */
    @SuppressWarnings("restricted")
    private static void call(String function, MemorySegment mask) {
        Linker linker = Linker.nativeLinker();
        SymbolLookup symbols = linker.defaultLookup();
        MethodHandle handle = linker.downcallHandle(
                symbols.findOrThrow(function),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        try {
            int status = (int) handle.invokeExact(0, (long) MASK_BYTES, mask);
            if (status < 0) {
                throw new IllegalStateException(function + ": " + status + " (expected: >= 0)");
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
