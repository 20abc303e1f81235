package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
            assertEquals("float kernels: portable (no native kernels, since torchnnapi.kernels=portable was given)", lines.get(0));
            assertEquals(ImageLayout.NCHW, Kernels.preferredFloatLayout());
        } else if (System.getProperty("torchnnapi.kernels", "").equals("vector")) {
            assertTrue(lines.get(0).startsWith("float kernels: vector (" + Kernels.channelBlock() * 32 + "-bit"), lines.get(0));
            assertEquals(ImageLayout.BLOCKED, Kernels.preferredFloatLayout());
        } else if (isLibraryBuilt()) {
            assertTrue(lines.get(0).startsWith("float kernels: native ("), lines.get(0));
            assertEquals(ImageLayout.BLOCKED, Kernels.preferredFloatLayout());
        } else {
            String reason = "; no native kernels, since there is no library for ";
            assertTrue(lines.get(0).startsWith("float kernels: vector (" + Kernels.channelBlock() * 32 + "-bit"), lines.get(0));
            assertTrue(lines.get(0).contains(reason), lines.get(0));
            assertTrue(lines.get(1).startsWith("int8 kernels: vector (over those of floats" + reason), lines.get(1));
            assertEquals(ImageLayout.BLOCKED, Kernels.preferredFloatLayout());
        }
    }

    /** Whether the build found a compiler: below its first line, this file names the platforms it made. */
    private static boolean isLibraryBuilt() throws IOException {
        return Files.readAllLines(Path.of("target/native/built-platforms")).stream().skip(1).anyMatch(line -> !line.isBlank());
    }
}
