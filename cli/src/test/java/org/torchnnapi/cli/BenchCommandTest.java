package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.kernels.MachinePeak;

/** Benchmarks of the digits sample. */
class BenchCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void benchmarksInSpeedBenchmarkTorchsLines() {
        Run bench = Run.of(
                "bench",
                "--model=" + DIGITS.resolve("digits-cpu.pt"),
                "--input_dims=1,3,32,32",
                "--input_type=float",
                "--iter",
                "2",
                "--report_pep=true");
        assertEquals(0, bench.code(), bench.err());
        String[] lines = bench.out().split("\n");
        assertEquals("Starting benchmark.", lines[0]);
        assertEquals("Running warmup runs.", lines[1]);
        assertEquals("Main runs.", lines[2]);
        assertTrue(
                lines[3].matches(
                        "PyTorchObserver \\{\"type\": \"NET\", \"unit\": \"us\", \"metric\": \"latency\", \"value\": "
                                + "\"[0-9.e+]+\"}"),
                lines[3]);
        assertTrue(
                lines[5].matches(
                        "Main run finished\\. Microseconds per iter: [0-9.e+]+\\. Iters per second: [0-9.e+]+"),
                lines[5]);
        assertEquals(6, lines.length);
    }

    @Test
    void reportsMemoryAndComparesThreads() {
        int before = CpuThreads.count();
        Run bench = Run.of(
                "bench",
                "--model=" + DigitsFiles.converted(folder),
                "--input_dims=1,3,32,32",
                "--input_type=float",
                "--iter=2",
                "--threads=2",
                "--report_memory=true",
                "--compare_threads=1,3");
        int during = CpuThreads.count();
        CpuThreads.set(before);
        assertEquals(0, bench.code(), bench.err());
        assertEquals(2, during);
        String one = MachinePeak.floatMultiplyAdds() > 0 ? "1\\.00x" : "-";
        assertTrue(
                bench.out()
                        .matches("(?s).*\nthreads +min us +median +speed-up +by min +undisturbed +blocks +machine "
                                + "float +int8\n-+\n"
                                + " *1 +[0-9.]+ +[0-9.]+ +1\\.00x +1\\.00x +(1\\.00x|-) +[01] of 1 +" + one
                                + " +(1\\.00x|-)\n *3 .*"),
                bench.out());
        assertTrue(
                bench.out()
                        .matches("(?s).*\nMemory in MB: mapped file 0\\.1( \\(0\\.[01] resident\\))?, tensors "
                                + "[0-9.]+, packed weights 0\\.[0-9], "
                                + "arena 0\\.[0-9]\\.\\RProcess in MB: Java heap [0-9.]+ used, [0-9.]+ "
                                + "taken, [0-9.]+ at most(; packed weights, shared ones once [0-9.]+)?(; "
                                + "resident .*)?\\.\\R"),
                bench.out());
        assertEquals(
                1,
                Run.of(
                                "bench",
                                "--model=" + DIGITS.resolve("digits-cpu.pt"),
                                "--input_dims=1,3,32,32",
                                "--input_type=float",
                                "--compare_threads=none")
                        .code());
    }

    /** Two ways to say what the inputs are, of which one would go unheard. */
    @Test
    void inputsOfABenchmarkAreSaidInOneWay() {
        Path model = DIGITS.resolve("digits-cpu.pt");
        for (String other : List.of("--input_dims=1,3,32,32", "--use_bundled_input=0", "--no_inputs=true")) {
            Run bench = Run.of("bench", "--model=" + model, "--input=float32[1,3,32,32]", other, "--iter=1");
            assertEquals(1, bench.code());
            assertTrue(bench.err().startsWith("input: float32[1,3,32,32] beside other flags"), bench.err());
        }
    }

    @Test
    void benchmarksOnGivenInputsAndDevices() {
        Path model = DIGITS.resolve("digits-full.pt");
        Run bench = Run.of(
                "bench",
                "--model=" + model,
                "--compare=" + model,
                "--input=quint8[1,3,32,32]@0.0157,64",
                "--iter=2",
                "--device=cpu");
        assertEquals(0, bench.code(), bench.err());
        assertTrue(
                bench.out().matches("(?s).*\nmodel +mean us +speed by means +median us +speed by medians +min +.*"),
                bench.out());
        Run unknown =
                Run.of("bench", "--model=" + model, "--input=quint8[1,3,32,32]@0.0157,64", "--iter=1", "--device=none");
        assertEquals(1, unknown.code());
        assertTrue(unknown.err().contains("none"), unknown.err());
    }
}
