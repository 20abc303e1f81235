package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Loads that are written in assembly say what memory they read. A compiler that is not told drops the stores before
 * them, which shows in its text and needs no processor with these instructions.
 */
class LoadsTest {
    @Test
    void whatWasStoredBeforeALoadIsInMemory() throws IOException, InterruptedException {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the assembly is for x86-64");
        Process compiler;
        try {
            compiler = new ProcessBuilder(List.of(
                            "gcc",
                            "-O3",
                            "-std=gnu11",
                            "-DISA_AVX512VNNI",
                            "-mavx512f",
                            "-mavx512bw",
                            "-mavx512vnni",
                            "-Isrc/main/c",
                            "-Itarget/generated-sources/c",
                            "-S",
                            "src/test/c/loads.c",
                            "-o",
                            "-"))
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "gcc is not installed");
            return;
        }
        String text = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, compiler.waitFor(), text);
        for (int stored : new int[] {0x11121314, 0x21222324, 0x31323334, 0x41424344}) {
            assertTrue(
                    text.contains("$" + stored) || text.contains("\t" + stored),
                    () -> Integer.toHexString(stored) + " is stored in none of\n" + text);
        }
    }
}
