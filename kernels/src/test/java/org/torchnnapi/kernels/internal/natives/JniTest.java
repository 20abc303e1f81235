package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** jni.c as a program, before a virtual machine that only this test can have: one without memory. */
class JniTest {
    @TempDir
    Path folder;

    @Test
    void arraysThatCannotBeEnteredThrow() throws IOException, InterruptedException {
        String program = folder.resolve("check").toString();
        Process compiler;
        try {
            compiler = start(
                    "gcc",
                    "-Isrc/main/c",
                    "-Itarget/generated-sources/c",
                    "src/test/c/jni_check.c",
                    "src/main/c/jni.c",
                    "-o",
                    program);
        } catch (IOException e) {
            assumeTrue(false, "gcc is not installed");
            return;
        }
        assertEquals("", output(compiler));
        Process check = start(program);
        assertEquals("", output(check));
        assertEquals(0, check.waitFor());
    }

    private static Process start(String... command) throws IOException {
        return new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    }

    private static String output(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
