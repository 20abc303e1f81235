package org.torchnnapi.kernels.internal.natives;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * What an Arm processor of 64 bits can do. It does not tell a program; Linux does in {@code /proc/cpuinfo}, and, where
 * that is another processor's, as in an emulator, in the program's auxiliary vector, which not every app may read.
 * Every Mac has dot products.
 */
final class ArmFeatures {
    /**
     * Entries of the auxiliary vector, {@code AT_HWCAP} and {@code AT_HWCAP2}, and the bits of Linux'
     * {@code asm/hwcap.h} in them.
     */
    private static final long CAPABILITIES = 16;

    private static final long MORE_CAPABILITIES = 26;
    private static final long DOT_PRODUCTS = 1 << 20;
    private static final long MATRIX_PRODUCTS = 1 << 13;

    private ArmFeatures() {}

    /**
     * The best instruction set of the library that this processor has: {@code neon}, which all have, {@code dotprod} or
     * {@code i8mm}.
     */
    static String instructionSet() {
        if (System.getProperty("os.name").startsWith("Mac")) {
            return "dotprod";
        }
        return instructionSet(Paths.get("/proc/cpuinfo"), Paths.get("/proc/self/auxv"));
    }

    static String instructionSet(Path processors, Path vector) {
        try {
            String features = new String(Files.readAllBytes(processors), StandardCharsets.ISO_8859_1);
            if (features.contains("asimd")) {
                return features.contains("i8mm") ? "i8mm" : features.contains("asimddp") ? "dotprod" : "neon";
            }
            long more = 0;
            long capabilities = 0;
            ByteBuffer entries = ByteBuffer.wrap(Files.readAllBytes(vector)).order(ByteOrder.nativeOrder());
            while (entries.remaining() >= 2 * Long.BYTES) {
                long type = entries.getLong();
                long value = entries.getLong();
                capabilities = type == CAPABILITIES ? value : capabilities;
                more = type == MORE_CAPABILITIES ? value : more;
            }
            return (more & MATRIX_PRODUCTS) != 0 ? "i8mm" : (capabilities & DOT_PRODUCTS) != 0 ? "dotprod" : "neon";
        } catch (IOException notTold) {
            return "neon";
        }
    }
}
