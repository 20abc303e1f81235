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
    private final int[][] readers;
    private final Memory memory;
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
        readers = new int[inputs.length][];
        for (int i = 0; i < inputs.length; i++) {
            readers[i] = program.readers(i).stream().mapToInt(Integer::intValue).toArray();
        }
        memory = program.allocate();
        memory.align();
        for (int i = 0; i < inputs.length; i++) {
            memory.readHere(i);
        }
        bindAll();
    }

    private void bindAll() {
        for (int i = 0; i < tasks.length; i++) {
            bind(i);
        }
    }

    private void bind(int step) {
        tasks[step] = steps[step].binding().to(memory);
    }

    /**
     * Executes the program over {@link KernelPool#shared}. Buffers are {@link FloatBuffer}s for floats and {@link ByteBuffer}s for bytes,
     * on the heap or not; elements are read and written from index 0 on, whatever the position. Inputs on the heap are read where they
     * are, and this run knows them until its next execution; others are copied.
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
        if (memory.align()) {
            bindAll();
        }
        KernelPool pool = KernelPool.shared();
        pool.beginSeries();
        try {
            for (int i = 0; i < inputs.length; i++) {
                if (inputs[i].offset() >= 0) {
                    read(in[i], i);
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

    private void read(Buffer data, int input) {
        Operand place = inputs[input];
        boolean elsewhere;
        if (place.source() >= 0 && data.hasArray()) {
            elsewhere = memory.read(input, data.array(), data.arrayOffset());
        } else {
            elsewhere = memory.readHere(input);
            if (data instanceof FloatBuffer floats) {
                floats.get(0, place.floats(memory), place.at(memory), place.size());
            } else {
                ((ByteBuffer) data).get(0, place.bytes(memory), place.at(memory), place.size());
            }
        }
        if (elsewhere) {
            for (int reader : readers[input]) {
                bind(reader);
            }
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
