package org.torchnnapi.driver.android;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The calls of the system's functions as each processor's convention has them, run here or by qemu; skipped where
 * compiler or qemu is not installed.
 */
class SystemCallsConventionTest {
    @TempDir
    private Path folder;

    private enum Processor {
        AARCH64("aarch64-linux-gnu-gcc", "qemu-aarch64"),
        ARM("arm-linux-gnueabihf-gcc", "qemu-arm"),
        X86("i686-linux-gnu-gcc", "qemu-i386"),
        X86_64("gcc", "qemu-x86_64");

        private final String compiler;
        private final String emulator;

        Processor(String compiler, String emulator) {
            this.compiler = compiler;
            this.emulator = emulator;
        }
    }

    private record Outcome(int code, String output) {}

    /** Null if there is no such command. */
    private static Outcome run(List<String> command) throws InterruptedException, IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException notInstalled) {
            return null;
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }

    @ParameterizedTest
    @EnumSource
    void argumentsArrive(Processor processor) throws IOException, InterruptedException {
        String program = folder.resolve("check").toString();
        Outcome compiled = run(List.of(
                processor.compiler,
                "-O2",
                "-std=gnu11",
                "-static",
                "-Wall",
                "-Wextra",
                "-Werror",
                "src/test/c/calls_check.c",
                "-o",
                program));
        assumeTrue(compiled != null, processor.compiler + " is not installed");
        assertEquals(new Outcome(0, ""), compiled);
        List<String> command = new ArrayList<>();
        if (!(processor == Processor.X86_64 && System.getProperty("os.arch").equals("amd64"))) {
            command.add(processor.emulator);
        }
        command.add(program);
        Outcome checked = run(command);
        assumeTrue(checked != null, processor.emulator + " is not installed");
        assertEquals(new Outcome(0, ""), checked);
    }
}
