package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The C kernels for Arm, cross-compiled and run by qemu; skipped where gcc-aarch64-linux-gnu or qemu-user is not
 * installed.
 */
class ArmKernelsTest {
    private static final List<String> FLOATS = List.of(
            "float_tile.c",
            "float_conv.c",
            "float_depthwise.c",
            "float_chain.c",
            "float_scaled.c",
            "float_widening.c",
            "float_winograd.c");

    @TempDir
    Path folder;

    /** Instruction sets, compilers' names for them, and processors that have no more. */
    private enum Isa {
        NEON("armv8-a", "cortex-a53"),
        DOTPROD("armv8.2-a+dotprod", "cortex-a76"),
        I8MM("armv8.2-a+dotprod+i8mm", "max");

        private final String architecture;
        private final String processor;

        Isa(String architecture, String processor) {
            this.architecture = architecture;
            this.processor = processor;
        }
    }

    @ParameterizedTest
    @EnumSource
    void equalTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(isa, "int8_check.c", List.of("fuse.c", "dense.c", "depthwise.c"));
    }

    @ParameterizedTest
    @EnumSource(names = {"NEON", "DOTPROD"})
    void floatsEqualTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(isa, "float_check.c", FLOATS);
    }

    @Test
    void recurrentLayersEqualTheirTwins() throws IOException, InterruptedException {
        check(Isa.NEON, "recurrent_check.c", List.of("recurrent.c"));
    }

    @ParameterizedTest
    @EnumSource
    void dynamicProductsEqualTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(isa, "dynamic_check.c", List.of("dynamic.c"));
    }

    @Test
    void elementsEqualTheirTwins() throws IOException, InterruptedException {
        check(
                Isa.NEON,
                "element_check.c",
                List.of(
                        "elementwise.c",
                        "rows.c",
                        "normalize.c",
                        "pool.c",
                        "reduce.c",
                        "layout.c",
                        "resize.c",
                        "bytes.c"));
    }

    private void check(Isa isa, String test, List<String> sources) throws IOException, InterruptedException {
        String program = folder.resolve("check").toString();
        List<String> command = new ArrayList<>(List.of(
                "aarch64-linux-gnu-gcc",
                "-O3",
                "-static",
                "-ffp-contract=off",
                "-march=" + isa.architecture,
                "-DISA_" + isa,
                "-Isrc/main/c",
                "src/test/c/" + test,
                "-o",
                program));
        sources.forEach(source -> command.add("src/main/c/" + source));
        command.add("-lm");
        Run compiled = run(command);
        assumeTrue(compiled != null, "aarch64-linux-gnu-gcc is not installed");
        assertEquals(new Run(0, ""), compiled);
        Run checked = run(List.of("qemu-aarch64", "-cpu", isa.processor, program));
        assumeTrue(checked != null, "qemu-aarch64 is not installed");
        assertEquals(new Run(0, ""), checked);
    }

    private record Run(int code, String output) {}

    /** Null if there is no such command. */
    private static Run run(List<String> command) throws InterruptedException, IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException notInstalled) {
            return null;
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }
}
