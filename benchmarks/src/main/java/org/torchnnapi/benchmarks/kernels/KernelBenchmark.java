package org.torchnnapi.benchmarks.kernels;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One run of a kernel, on one thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KernelBenchmark {
    /** The name of a {@link KernelCase}; {@link KernelReport} gives them all. */
    @Param("FLOAT_1X1_196X576_96")
    public String kernel;

    private Runnable run;

    @Setup
    public void prepare() {
        run = KernelCase.named(kernel).preparation().get();
    }

    @Benchmark
    public void kernel() {
        run.run();
    }
}
