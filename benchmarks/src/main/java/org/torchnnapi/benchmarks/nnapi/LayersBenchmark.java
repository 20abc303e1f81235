package org.torchnnapi.benchmarks.nnapi;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.nnapi.model.Model;

/**
 * Single operations on the fast device, with one thread, and on the reference: recurrent layers, regions of interest,
 * and what is tiny.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LayersBenchmark extends ExecutionBenchmark {
    @Param({"cpu", "reference"})
    public String device;

    @Param
    public LayerModels layer;

    @Setup(Level.Trial)
    public void setUp() {
        KernelPool.shared().setNumThreads(1);
        Model model = layer.model();
        prepare(model, compile(model, device));
    }

    @Benchmark
    public void compute() {
        execution.compute();
    }
}
