package org.torchnnapi.benchmarks.nnapi;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Threads;
import org.torchnnapi.nnapi.model.Model;

/**
 * What an execution costs beside the arithmetic on a real device: the sum of four floats, in a burst and by itself,
 * alone and with more threads than there are processors, so that executions wait for each other. A burst allocates
 * nothing where none waits.
 */
public class OneOperationBenchmark extends ChainBenchmark {
    @Param({"cpu", "reference"})
    public String device;

    @Setup(Level.Trial)
    public void setUp() {
        Model model = chain(1);
        prepare(model, compile(model, device));
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
