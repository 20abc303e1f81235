package org.torchnnapi.benchmarks.nnapi;

import java.nio.FloatBuffer;
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
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Burst;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.nnapi.runtime.PlacementRules;

/**
 * What the runtime itself costs: a burst execution of a plan whose devices compute nothing, by number of steps. The demands: below 5 us for
 * one step, below 0.2 us for each further one, nothing allocated.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@State(Scope.Thread)
public class RuntimeBenchmark {
    /** Steps of the plan: operations go to two devices in turn. */
    @Param({"1", "2", "101"})
    public int steps;

    private Compilation compilation;
    private Execution execution;
    private Burst burst;

    /** {@code x + 1}, {@code length} times over. */
    static Model chain(int length) {
        ModelBuilder builder = new ModelBuilder();
        OperandDescriptor vector = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, 4);
        int one = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1));
        builder.setOperandValue(one, 1f);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int input = builder.addOperand(vector);
        int last = input;
        for (int i = 0; i < length; i++) {
            int sum = builder.addOperand(vector);
            builder.addOperation(OperationType.ADD, new int[] {last, one, none}, new int[] {sum});
            last = sum;
        }
        builder.identifyInputsAndOutputs(new int[] {input}, new int[] {last});
        return builder.finish();
    }

    @Setup(Level.Trial)
    public void setUp() {
        PlacementRules rules = PlacementRules.NONE.deny("reference", "*");
        for (int i = 0; i < steps; i++) {
            rules = rules.deny(i % 2 == 0 ? "odd" : "even", "ADD#" + i);
        }
        compilation = new CompilationBuilder(chain(steps)).setAvailable(Devices.of(new IdleDriver("even"), new IdleDriver("odd")))
                .setPlacementRules(rules).finish();
        if (compilation.partitionCount() != steps) {
            throw new IllegalStateException("steps: " + compilation.partitionCount() + " (expected: " + steps + ")");
        }
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

    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder().include(RuntimeBenchmark.class.getName()).addProfiler(GCProfiler.class).build()).run();
        new Runner(new OptionsBuilder().include(OneOperationBenchmark.class.getName()).addProfiler(GCProfiler.class).build()).run();
        new Runner(new OptionsBuilder().include(PlanningBenchmark.class.getName()).build()).run();
        new Runner(new OptionsBuilder().include(LayersBenchmark.class.getName()).build()).run();
    }
}
