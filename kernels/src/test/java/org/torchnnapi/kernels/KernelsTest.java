package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelsTest {
    @Test
    void describesWhatWasChosenAndWhy() throws IOException {
        List<String> lines = Kernels.describe();
        assertEquals(3, lines.size());
        assertTrue(lines.get(0).startsWith("float kernels: "), lines.get(0));
        assertTrue(lines.get(1).startsWith("int8 kernels: "), lines.get(1));
        assertTrue(lines.get(2).startsWith("other kernels: "), lines.get(2));
        if (System.getProperty("torchnnapi.kernels", "").equals("portable")) {
            assertEquals(
                    "float kernels: portable (no native kernels, since torchnnapi.kernels=portable was given)",
                    lines.get(0));
            assertEquals(ImageLayout.NCHW, Kernels.preferredFloatLayout());
        } else if (System.getProperty("torchnnapi.kernels", "").equals("vector")) {
            assertTrue(
                    lines.get(0).startsWith("float kernels: vector (" + Kernels.channelBlock() * 32 + "-bit"),
                    lines.get(0));
            assertEquals(ImageLayout.BLOCKED, Kernels.preferredFloatLayout());
        } else if (isLibraryBuilt()) {
            assertTrue(lines.get(0).startsWith("float kernels: native ("), lines.get(0));
            assertEquals(ImageLayout.BLOCKED, Kernels.preferredFloatLayout());
        } else {
            String reason = "; no native kernels, since there is no library for ";
            assertTrue(
                    lines.get(0).startsWith("float kernels: vector (" + Kernels.channelBlock() * 32 + "-bit"),
                    lines.get(0));
            assertTrue(lines.get(0).contains(reason), lines.get(0));
            assertTrue(lines.get(1).startsWith("int8 kernels: vector (over those of floats" + reason), lines.get(1));
            assertEquals(ImageLayout.BLOCKED, Kernels.preferredFloatLayout());
        }
    }

    @Test
    void tileRegistersServeUnlessSwitchedOff() throws IOException {
        String bytes = Kernels.describe().get(1);
        assumeTrue(bytes.startsWith("int8 kernels: native (avx512vnni"), "the kernels are others: " + bytes);
        Path processor = Path.of("/proc/cpuinfo");
        assumeTrue(
                Files.exists(processor) && Files.readString(processor).contains("amx_int8"),
                "the processor has no AMX, or the system hides it");
        boolean off = System.getProperty("torchnnapi.kernels.amx", "").equals("false");
        assertEquals(!off, bytes.startsWith("int8 kernels: native (avx512vnni and amx"), bytes);
    }

    /** Whether the build found a compiler: below its first two lines, this file names the platforms it made. */
    static boolean isLibraryBuilt() throws IOException {
        return Files.readAllLines(Path.of("target/native/built-platforms")).stream()
                .skip(2)
                .anyMatch(line -> !line.isBlank());
    }
}
