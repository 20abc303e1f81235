package org.torchnnapi.benchmarks.nnapi;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;

/**
 * Building, validating, partitioning and preparing a model, which is to be linear: ten times the operations, ten times
 * the time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 3)
@Fork(1)
@State(Scope.Thread)
public class PlanningBenchmark {
    @Param({"1000", "10000", "100000"})
    public int operations;

    @Benchmark
    public int buildAndPlan() {
        Model model = ChainBenchmark.chain(operations);
        var compilation = new CompilationBuilder(model)
                .setAvailable(Devices.of(new IdleDriver("idle")))
                .finish();
        int parts = compilation.partitionCount();
        compilation.close();
        return parts;
    }
}
