package org.torchnnapi.kernels.internal.natives;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.torchnnapi.kernels.internal.ProcessorException;

/**
 * What an Arm processor can do. It does not tell a program; Linux does in {@code /proc/cpuinfo}, and, where that is
 * another processor's, as in an emulator, in the program's auxiliary vector, which not every app may read. Every Mac
 * has dot products.
 */
final class ArmFeatures {
    private static final Path PROCESSORS = Paths.get("/proc/cpuinfo");
    private static final Path VECTOR = Paths.get("/proc/self/auxv");
    /**
     * Entries of the auxiliary vector, {@code AT_HWCAP} and {@code AT_HWCAP2}, and the bits of Linux'
     * {@code asm/hwcap.h} in them, which are others for programs of 32 bits.
     */
    private static final long CAPABILITIES = 16;

    private static final long MORE_CAPABILITIES = 26;
    private static final long HALF_ARITHMETIC = 1 << 10;
    private static final long DOT_PRODUCTS = 1 << 20;
    private static final long MATRIX_PRODUCTS = 1 << 13;
    private static final long NEON_VFPV4_DIVISION = 1 << 12 | 1 << 16 | 1 << 17;

    private ArmFeatures() {}

    /**
     * The best instruction set of the library that this processor of 64 bits has: {@code neon}, which all have,
     * {@code dotprod} or {@code i8mm}.
     */
    static String instructionSet() {
        if (System.getProperty("os.name").startsWith("Mac")) {
            return "dotprod";
        }
        return instructionSet(PROCESSORS, VECTOR);
    }

    static String instructionSet(Path processors, Path vector) {
        try {
            String features = text(processors);
            if (features.contains("asimd")) {
                return features.contains("i8mm") ? "i8mm" : features.contains("asimddp") ? "dotprod" : "neon";
            }
            byte[] entries = Files.readAllBytes(vector);
            long capabilities = entry(entries, CAPABILITIES, Long.BYTES);
            long more = entry(entries, MORE_CAPABILITIES, Long.BYTES);
            return (more & MATRIX_PRODUCTS) != 0 ? "i8mm" : (capabilities & DOT_PRODUCTS) != 0 ? "dotprod" : "neon";
        } catch (IOException notTold) {
            return "neon";
        }
    }

    /** Whether this processor of 64 bits computes with vectors of 16-bit floats. Every Mac does. */
    static boolean computesHalves() {
        return System.getProperty("os.name").startsWith("Mac") || computesHalves(PROCESSORS, VECTOR);
    }

    static boolean computesHalves(Path processors, Path vector) {
        try {
            String features = text(processors);
            return features.contains("asimd")
                    ? features.contains("asimdhp")
                    : (entry(Files.readAllBytes(vector), CAPABILITIES, Long.BYTES) & HALF_ARITHMETIC) != 0;
        } catch (IOException notTold) {
            return false;
        }
    }

    /**
     * Of 32 bits: what the library's one kind of functions needs.
     *
     * @throws ProcessorException if the processor lacks it, as those before Cortex-A15 and A7 do, or nothing tells
     */
    static void requireFusedMultiplyAdd() {
        requireFusedMultiplyAdd(PROCESSORS, VECTOR);
    }

    static void requireFusedMultiplyAdd(Path processors, Path vector) {
        if (!hasFusedMultiplyAdd(processors, vector)) {
            throw new ProcessorException("the processor has no NEON with VFPv4 and integer division");
        }
    }

    private static boolean hasFusedMultiplyAdd(Path processors, Path vector) {
        try {
            String features = text(processors);
            // A system of 64 bits may tell its own names, and there all have it.
            if (features.contains("asimd")
                    || features.contains("neon") && features.contains("vfpv4") && features.contains("idiva")) {
                return true;
            }
            long capabilities = entry(Files.readAllBytes(vector), CAPABILITIES, Integer.BYTES);
            return (capabilities & NEON_VFPV4_DIVISION) == NEON_VFPV4_DIVISION;
        } catch (IOException notTold) {
            return false;
        }
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }

    /** The value of an entry of the auxiliary vector, whose words are so large; 0 where it has none. */
    private static long entry(byte[] vector, long wanted, int wordBytes) {
        ByteBuffer entries = ByteBuffer.wrap(vector).order(ByteOrder.nativeOrder());
        while (entries.remaining() >= 2 * wordBytes) {
            long type = wordBytes == Long.BYTES ? entries.getLong() : entries.getInt();
            long value = wordBytes == Long.BYTES ? entries.getLong() : entries.getInt();
            if (type == wanted) {
                return value;
            }
        }
        return 0;
    }
}
