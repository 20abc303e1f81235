package org.torchnnapi.benchmarks.nnapi;

import java.nio.Buffer;
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
import org.openjdk.jmh.annotations.Warmup;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;

/** Single operations on the fast device, with one thread, and on the reference: recurrent layers, regions of interest, and what is tiny. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@State(Scope.Thread)
public class LayersBenchmark {
    @Param({"cpu", "reference"})
    public String device;

    @Param
    public LayerModels layer;

    private Compilation compilation;
    private Execution execution;

    @Setup(Level.Trial)
    public void setUp() {
        KernelPool.shared().setNumThreads(1);
        Devices devices = Devices.installed();
        Model model = layer.model();
        compilation = new CompilationBuilder(model).setAvailable(devices).setDevices(List.of(devices.find(device))).setFallback(false).finish();
        execution = compilation.createExecution();
        execution.setReusable(true);
        for (int i = 0; i < model.inputCount(); i++) {
            execution.setInput(i, buffer(model, model.inputs()[i]));
        }
        for (int i = 0; i < model.outputCount(); i++) {
            execution.setOutput(i, buffer(model, model.outputs()[i]));
        }
    }

    private static Buffer buffer(Model model, int operand) {
        return OperandBuffers.allocate(model.operand(operand).type(), (int) model.operand(operand).descriptor().elementCount());
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        compilation.close();
    }

    @Benchmark
    public void compute() {
        execution.compute();
    }
}
