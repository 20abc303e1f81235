package org.torchnnapi.benchmarks.nnapi;

import java.nio.FloatBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.torchnnapi.nnapi.runtime.Burst;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;

/**
 * What an execution costs beside the arithmetic on a real device: the sum of four floats, in a burst and by itself, alone and with more threads than
 * there are processors, so that executions wait for each other. A burst allocates nothing where none waits.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@State(Scope.Thread)
public class OneOperationBenchmark {
    @Param({"cpu", "reference"})
    public String device;

    private Compilation compilation;
    private Execution execution;
    private Burst burst;

    @Setup(Level.Trial)
    public void setUp() {
        Devices devices = Devices.installed();
        compilation = new CompilationBuilder(RuntimeBenchmark.chain(1)).setAvailable(devices).setDevices(List.of(devices.find(device))).finish();
        execution = compilation.createExecution();
        execution.setReusable(true);
        execution.setInput(0, FloatBuffer.allocate(4));
        execution.setOutput(0, FloatBuffer.allocate(4));
        burst = new Burst(compilation);
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        burst.close();
        compilation.close();
    }

    @Benchmark
    public void burst() {
        execution.burstCompute(burst);
    }

    @Benchmark
    public void compute() {
        execution.compute();
    }

    @Benchmark
    @Threads(8)
    public void computeBesideOthers() {
        execution.compute();
    }
}
