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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The C kernels for Arm, cross-compiled and run by qemu; skipped where gcc-aarch64-linux-gnu, gcc-arm-linux-gnueabihf
 * or qemu-user is not installed.
 */
@Execution(ExecutionMode.CONCURRENT)
class ArmKernelsTest {
    private static final List<String> FLOATS = List.of(
            "float_tile.c",
            "float_conv.c",
            "float_depthwise.c",
            "float_chain.c",
            "float_scaled.c",
            "float_widening.c",
            "float_winograd.c",
            "unary.c");

    @TempDir
    Path folder;

    /** Instruction sets, compilers' names for them, and processors that have no more. */
    private enum Isa {
        NEON("aarch64", "NEON", "cortex-a53", "armv8-a"),
        DOTPROD("aarch64", "DOTPROD", "cortex-a76", "armv8.2-a+dotprod"),
        I8MM("aarch64", "I8MM", "max", "armv8.2-a+dotprod+i8mm"),
        FP16("aarch64", "FP16", "cortex-a76", "armv8.2-a+fp16"),
        ARM32("arm", "NEON", "cortex-a7", "armv7ve+neon-vfpv4");

        private final String emulator;
        private final String name;
        private final String processor;
        private final String architecture;

        Isa(String emulated, String name, String processor, String architecture) {
            emulator = "qemu-" + emulated;
            this.name = name;
            this.processor = processor;
            this.architecture = architecture;
        }

        String compiler() {
            return this == ARM32 ? "arm-linux-gnueabihf-gcc" : "aarch64-linux-gnu-gcc";
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FP16")
    void equalTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(isa, "int8_check.c", List.of("fuse.c", "dense.c", "depthwise.c"));
    }

    @ParameterizedTest
    @EnumSource(names = {"NEON", "DOTPROD", "ARM32"})
    void floatsEqualTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(isa, "float_check.c", FLOATS);
    }

    @Test
    void halvesAreWithinTheirError() throws IOException, InterruptedException {
        check(Isa.FP16, "half_check.c", List.of("half_conv.c", "unary.c"));
    }

    @ParameterizedTest
    @EnumSource(names = {"NEON", "ARM32"})
    void recurrentLayersEqualTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(isa, "recurrent_check.c", List.of("recurrent.c"));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FP16")
    void dynamicProductsEqualTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(isa, "dynamic_check.c", List.of("dynamic.c"));
    }

    @ParameterizedTest
    @EnumSource(names = {"NEON", "ARM32"})
    void elementsEqualTheirTwins(Isa isa) throws IOException, InterruptedException {
        check(
                isa,
                "element_check.c",
                List.of(
                        "elementwise.c",
                        "rows.c",
                        "unary.c",
                        "normalize.c",
                        "pool.c",
                        "reduce.c",
                        "layout.c",
                        "resize.c",
                        "bytes.c",
                        "halves.c"));
    }

    @Test
    void whatCompilersCallEqualsTheirOwn() throws IOException, InterruptedException {
        check(Isa.ARM32, "arm32_check.c", List.of());
    }

    private void check(Isa isa, String test, List<String> sources) throws IOException, InterruptedException {
        String program = folder.resolve("check").toString();
        List<String> command = new ArrayList<>(List.of(
                isa.compiler(),
                "-O3",
                "-static",
                "-ffp-contract=off",
                "-march=" + isa.architecture,
                "-DISA_" + isa.name,
                "-Isrc/main/c",
                "-Itarget/generated-sources/c",
                "src/test/c/" + test,
                "-o",
                program));
        sources.forEach(source -> command.add("src/main/c/" + source));
        command.add("-lm");
        Run compiled = run(command);
        assumeTrue(compiled != null, isa.compiler() + " is not installed");
        assertEquals(new Run(0, ""), compiled);
        Run checked = run(List.of(isa.emulator, "-cpu", isa.processor, program));
        assumeTrue(checked != null, isa.emulator + " is not installed");
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
