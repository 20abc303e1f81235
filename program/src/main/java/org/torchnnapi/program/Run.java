package org.torchnnapi.program;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.torchnnapi.kernels.KernelPool;

/** A program bound to a memory of its own; executes one at a time and allocates nothing, unless the garbage collector moved its memory. */
public final class Run {
    private final Step[] steps;
    private final KernelPool.Task[] tasks;
    private final int[] units;
    private final boolean[] adjoining;
    private final Operand[] inputs;
    private final Operand[] outputs;
    private Memory memory;
    private long[] nanos;

    Run(Program program) {
        steps = program.steps().toArray(new Step[0]);
        tasks = new KernelPool.Task[steps.length];
        units = new int[tasks.length];
        adjoining = new boolean[tasks.length];
        for (int i = 0; i < tasks.length; i++) {
            units[i] = steps[i].units();
            adjoining[i] = steps[i].adjoining();
        }
        inputs = program.inputs().toArray(new Operand[0]);
        outputs = program.outputs().toArray(new Operand[0]);
        bind(program.allocate());
    }

    private void bind(Memory to) {
        memory = to;
        for (int i = 0; i < tasks.length; i++) {
            tasks[i] = steps[i].binding().to(to);
        }
    }

    /**
     * Executes the program over {@link KernelPool#shared}. Buffers are {@link FloatBuffer}s for floats and {@link ByteBuffer}s for bytes,
     * on the heap or not; elements are read and written from index 0 on, whatever the position.
     *
     * @param in one an input of the graph; null where the input has no use
     * @param out one an output of the graph; null where the output is not wanted
     * @param check called between steps; what it throws ends the execution
     * @throws IllegalArgumentException if a buffer is missing, of the wrong kind or too small
     */
    public void execute(Buffer[] in, Buffer[] out, Runnable check) {
        requireCount("inputs", in.length, inputs.length);
        requireCount("outputs", out.length, outputs.length);
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i].offset() >= 0) {
                requireRoom("input", i, in[i], inputs[i]);
            }
        }
        for (int i = 0; i < outputs.length; i++) {
            if (out[i] != null) {
                requireRoom("output", i, out[i], outputs[i]);
            }
        }
        if (!memory.isAligned()) {
            bind(memory.realigned());
        }
        KernelPool pool = KernelPool.shared();
        pool.beginSeries();
        try {
            for (int i = 0; i < inputs.length; i++) {
                if (inputs[i].offset() >= 0) {
                    read(in[i], inputs[i]);
                }
            }
            executeSteps(pool, check);
        } finally {
            pool.endSeries();
        }
        for (int i = 0; i < outputs.length; i++) {
            if (out[i] != null) {
                write(outputs[i], out[i]);
            }
        }
    }

    private void executeSteps(KernelPool pool, Runnable check) {
        for (int i = 0; i < tasks.length; i++) {
            check.run();
            if (nanos == null) {
                pool.run(units[i], adjoining[i], tasks[i]);
            } else {
                long start = System.nanoTime();
                pool.run(units[i], adjoining[i], tasks[i]);
                nanos[i] += System.nanoTime() - start;
            }
        }
    }

    /** Starts to measure how long each step takes, from nothing. */
    public void profile() {
        nanos = new long[tasks.length];
    }

    /** What each step took since {@link #profile}, summed over the executions; empty if nothing was measured. */
    public long[] nanos() {
        return nanos == null ? new long[0] : nanos.clone();
    }

    private void read(Buffer data, Operand place) {
        if (data instanceof FloatBuffer floats) {
            floats.get(0, memory.floats(), place.at(memory), place.size());
        } else {
            ((ByteBuffer) data).get(0, memory.bytes(), place.at(memory), place.size());
        }
    }

    private void write(Operand place, Buffer data) {
        if (data instanceof FloatBuffer floats) {
            floats.put(0, place.floats(memory), place.at(memory), place.size());
        } else {
            ((ByteBuffer) data).put(0, place.bytes(memory), place.at(memory), place.size());
        }
    }

    private static void requireCount(String name, int actual, int expected) {
        if (actual != expected) {
            throw new IllegalArgumentException(name + ": " + actual + " (expected: " + expected + ")");
        }
    }

    private static void requireRoom(String name, int position, Buffer data, Operand place) {
        boolean fits = place.isFloat() ? data instanceof FloatBuffer : data instanceof ByteBuffer;
        if (!fits || data.capacity() < place.size()) {
            throw new IllegalArgumentException(name + " " + position + ": " + data + " (expected: a " + (place.isFloat() ? "FloatBuffer" : "ByteBuffer")
                    + " of at least " + place.size() + " elements)");
        }
    }
}
