package org.torchnnapi.benchmarks.nnapi;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.PlacementRules;

/**
 * What the runtime itself costs: a burst execution of a plan whose devices compute nothing, by number of steps. The
 * demands: below 5 us for one step, below 0.2 us for each further one, nothing allocated.
 */
public class RuntimeBenchmark extends ChainBenchmark {
    /** Steps of the plan: operations go to two devices in turn. */
    @Param({"1", "2", "101"})
    public int steps;

    @Setup(Level.Trial)
    public void setUp() {
        PlacementRules rules = PlacementRules.NONE.deny("reference", "*");
        for (int i = 0; i < steps; i++) {
            rules = rules.deny(i % 2 == 0 ? "odd" : "even", "ADD#" + i);
        }
        Model model = chain(steps);
        Compilation compilation = new CompilationBuilder(model)
                .setAvailable(Devices.of(new IdleDriver("even"), new IdleDriver("odd")))
                .setPlacementRules(rules)
                .finish();
        if (compilation.partitionCount() != steps) {
            throw new IllegalStateException("steps: " + compilation.partitionCount() + " (expected: " + steps + ")");
        }
        prepare(model, compilation);
    }

    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(RuntimeBenchmark.class.getName())
                        .addProfiler(GCProfiler.class)
                        .build())
                .run();
        new Runner(new OptionsBuilder()
                        .include(OneOperationBenchmark.class.getName())
                        .addProfiler(GCProfiler.class)
                        .build())
                .run();
        new Runner(new OptionsBuilder()
                        .include(PlanningBenchmark.class.getName())
                        .build())
                .run();
        new Runner(new OptionsBuilder().include(LayersBenchmark.class.getName()).build()).run();
    }
}
