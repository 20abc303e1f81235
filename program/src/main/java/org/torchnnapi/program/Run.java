package org.torchnnapi.program;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * A program bound to a memory of its own; executes one at a time and allocates nothing, unless the garbage collector
 * moved its memory.
 */
public final class Run {
    private final Step[] steps;
    /** The work of each step. */
    private final KernelPool.Task[] tasks;
    /** Those of one step after the other: one, or one for each round. */
    private final KernelPool.Piece[] pieces;

    private final int[] firstPiece;
    private final int[] stepOfPiece;
    private final PlacedValue[] inputs;
    private final PlacedValue[] outputs;
    private final int[][] readers;
    /** Steps that inputs lie elsewhere for than when they were bound. */
    private final boolean[] stale;

    private boolean anyStale;
    private final RunMemory memory;
    /** Whether no step can be shared, so that the calling thread does all by itself. */
    private final boolean alone;

    private final IntConsumer before = this::before;
    private Runnable check;
    private long[] nanos;
    /** When the current step began. */
    private long begun;

    Run(Program program, RunMemory memory) {
        steps = program.steps().toArray(new Step[0]);
        tasks = new KernelPool.Task[steps.length];
        firstPiece = new int[steps.length];
        int count = 0;
        for (int i = 0; i < steps.length; i++) {
            firstPiece[i] = count;
            count += steps[i].rounds();
        }
        pieces = new KernelPool.Piece[count];
        stepOfPiece = new int[count];
        for (int i = 0; i < steps.length; i++) {
            Arrays.fill(stepOfPiece, firstPiece[i], firstPiece[i] + steps[i].rounds(), i);
        }
        alone = program.steps().stream().allMatch(step -> step.units() == 1);
        inputs = program.inputs().toArray(new PlacedValue[0]);
        outputs = program.outputs().toArray(new PlacedValue[0]);
        readers = new int[inputs.length][];
        for (int i = 0; i < inputs.length; i++) {
            readers[i] = program.readers(i).stream().mapToInt(Integer::intValue).toArray();
        }
        stale = new boolean[steps.length];
        this.memory = memory;
        memory.align();
        for (int i = 0; i < inputs.length; i++) {
            memory.readHere(i);
        }
        bindAll();
    }

    private void bindAll() {
        for (int i = 0; i < steps.length; i++) {
            bind(i);
        }
    }

    private void bind(int number) {
        Step step = steps[number];
        KernelPool.Task task = step.binding().to(memory);
        tasks[number] = task;
        for (int round = 0; round < step.rounds(); round++) {
            pieces[firstPiece[number] + round] = new KernelPool.Piece(
                    step.units(), step.adjoining(), step.rounds() == 1 ? task : ((Step.Rounds) task).round(round));
        }
    }

    /**
     * Executes the program over {@link KernelPool#shared}. Buffers are {@link FloatBuffer}s for floats,
     * {@link IntBuffer}s for 32-bit numbers and {@link ByteBuffer}s for bytes, on the heap or not; elements are read
     * and written from index 0 on, whatever the position. Inputs on the heap are read where they are, and this run
     * knows them until its next execution; others are copied.
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
        if (alone || pool.numThreads() == 1) {
            read(in);
            executeSteps(null, check);
        } else {
            pool.beginSeries();
            try {
                read(in);
                executeSteps(pool, check);
            } finally {
                pool.endSeries();
            }
        }
        for (int i = 0; i < outputs.length; i++) {
            if (out[i] != null) {
                write(outputs[i], out[i]);
            }
        }
    }

    private void read(Buffer[] in) {
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i].offset() >= 0) {
                read(in[i], i);
            }
        }
        // One that reads many inputs is bound once.
        for (int i = 0; i < stale.length && anyStale; i++) {
            if (stale[i]) {
                stale[i] = false;
                bind(i);
            }
        }
        anyStale = false;
    }

    /** @param pool null where the calling thread does all by itself */
    private void executeSteps(KernelPool pool, Runnable check) {
        this.check = check;
        try {
            if (pool != null) {
                pool.run(pieces, before);
            } else {
                for (int i = 0; i < steps.length; i++) {
                    before(firstPiece[i]);
                    tasks[i].run(0, steps[i].units());
                }
            }
        } finally {
            this.check = null;
        }
        if (nanos != null && pieces.length > 0) {
            nanos[steps.length - 1] += System.nanoTime() - begun;
        }
    }

    private void before(int piece) {
        check.run();
        if (nanos != null) {
            long now = System.nanoTime();
            if (piece > 0) {
                nanos[stepOfPiece[piece - 1]] += now - begun;
            }
            begun = now;
        }
    }

    /** Starts to measure how long each step takes, from nothing. */
    public void profile() {
        nanos = new long[steps.length];
    }

    /** What each step took since {@link #profile}, summed over the executions; empty if nothing was measured. */
    public long[] nanos() {
        return nanos == null ? new long[0] : nanos.clone();
    }

    private void read(Buffer data, int input) {
        PlacedValue place = inputs[input];
        boolean elsewhere;
        if (place.source() >= 0 && data.hasArray()) {
            elsewhere = memory.read(input, data.array(), data.arrayOffset());
        } else {
            elsewhere = memory.readHere(input);
            if (data instanceof FloatBuffer floats) {
                Buffers.get(floats, 0, place.floats(memory), place.at(memory), place.size());
            } else if (data instanceof IntBuffer ints) {
                Buffers.get(ints, 0, place.ints(memory), place.at(memory), place.size());
            } else {
                Buffers.get((ByteBuffer) data, 0, place.bytes(memory), place.at(memory), place.size());
            }
        }
        if (elsewhere) {
            for (int reader : readers[input]) {
                stale[reader] = true;
                anyStale = true;
            }
        }
    }

    private void write(PlacedValue place, Buffer data) {
        if (data instanceof FloatBuffer floats) {
            Buffers.put(floats, 0, place.floats(memory), place.at(memory), place.size());
        } else if (data instanceof IntBuffer ints) {
            Buffers.put(ints, 0, place.ints(memory), place.at(memory), place.size());
        } else {
            Buffers.put((ByteBuffer) data, 0, place.bytes(memory), place.at(memory), place.size());
        }
    }

    private static void requireCount(String name, int actual, int expected) {
        if (actual != expected) {
            throw new IllegalArgumentException(name + ": " + actual + " (expected: " + expected + ")");
        }
    }

    private static void requireRoom(String name, int position, Buffer data, PlacedValue place) {
        Class<? extends Buffer> kind = place.type().element().store().buffer();
        if (!kind.isInstance(data) || data.capacity() < place.size()) {
            throw new IllegalArgumentException(name + " " + position + ": " + data + " (expected: a "
                    + kind.getSimpleName() + " of at least " + place.size() + " elements)");
        }
    }
}
