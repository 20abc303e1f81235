package org.torchnnapi.benchmarks.nnapi;

import java.nio.Buffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.runtime.Burst;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;

/** One reusable execution of a compiled model, measured for a few seconds. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@State(Scope.Thread)
public abstract class ExecutionBenchmark {
    Execution execution;
    Burst burst;
    private Compilation compilation;

    /** The model for one of the installed devices, and no other. */
    static Compilation compile(Model model, String device) {
        Devices devices = Devices.installed();
        return new CompilationBuilder(model)
                .setAvailable(devices)
                .setDevices(List.of(devices.find(device)))
                .setFallback(false)
                .finish();
    }

    /** Makes the execution and its buffers; {@link #tearDown} closes the compilation. */
    final void prepare(Model model, Compilation compiled) {
        compilation = compiled;
        execution = compiled.createExecution();
        execution.setReusable(true);
        for (int i = 0; i < model.inputCount(); i++) {
            execution.setInput(i, buffer(model, model.inputs()[i]));
        }
        for (int i = 0; i < model.outputCount(); i++) {
            execution.setOutput(i, buffer(model, model.outputs()[i]));
        }
        burst = new Burst(compiled);
    }

    private static Buffer buffer(Model model, int operand) {
        return OperandBuffers.allocate(model.operand(operand).type(), (int)
                model.operand(operand).descriptor().elementCount());
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        burst.close();
        compilation.close();
    }
}
