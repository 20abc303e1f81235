package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.UnaryMathOp;

class RunTest {
    private static final Runnable NOTHING = () -> {};

    @Test
    void allocatesNothing() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int seed = 0; seed < 6; seed++) {
            Program program = Plain.shared(new RandomGraph(seed, ImageLayout.NCHW, Element.FLOAT32).build(12));
            Run run = program.newRun();
            Buffer[] in = {FloatBuffer.allocate(program.inputs().get(0).size())};
            Buffer[] out = new Buffer[3];
            for (int i = 0; i < out.length; i++) {
                out[i] = FloatBuffer.allocate(program.outputs().get(i).size());
            }
            long least = Long.MAX_VALUE;
            // Until the code is compiled, which takes small objects apart.
            for (int burst = 0; burst < 8000 && least > 0; burst++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 20; i++) {
                    run.execute(in, out, NOTHING);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least, least + " bytes of 20 executions of seed " + seed + ": " + program.describe());
        }
    }

    @Test
    void resultsStayWhenTheCollectorMovesTheMemory() {
        Program program = Plain.shared(new RandomGraph(3, ImageLayout.NCHW, Element.FLOAT32).build(12));
        List<Object> garbage = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            garbage.add(new float[i * 3]);
        }
        Run run = program.newRun();
        float[] pixels =
                (float[]) Plain.random(ValueType.floats(program.inputs().get(0).size()), new Random(3));
        float[] first = execute(program, run, pixels);
        for (int i = 0; i < 3; i++) {
            garbage.subList(0, garbage.size() / 3).clear();
            System.gc();
            assertArrayEquals(first, execute(program, run, pixels));
        }
    }

    @Test
    void inputsAreReadWhereverTheyAreAndStay() {
        for (int seed = 0; seed < 8; seed++) {
            Program program = Plain.shared(
                    new RandomGraph(seed, seed % 2 == 0 ? ImageLayout.NCHW : ImageLayout.NHWC, Element.FLOAT32)
                            .build(9));
            Run run = program.newRun();
            int size = program.inputs().get(0).size();
            float[] pixels = (float[]) Plain.random(ValueType.floats(size), new Random(seed));
            float[] first = execute(program, run, pixels);
            float[] within = new float[size + 9];
            System.arraycopy(pixels, 0, within, 5, size);
            float[] before = within.clone();
            FloatBuffer direct = ByteBuffer.allocateDirect(size * Float.BYTES)
                    .order(ByteOrder.nativeOrder())
                    .asFloatBuffer()
                    .put(0, pixels);
            for (FloatBuffer in : new FloatBuffer[] {
                FloatBuffer.wrap(within, 5, size).slice(),
                direct,
                FloatBuffer.wrap(pixels).asReadOnlyBuffer(),
                FloatBuffer.wrap(within, 5, size).slice(),
                FloatBuffer.wrap(pixels)
            }) {
                assertArrayEquals(first, execute(program, run, in), "seed " + seed);
            }
            assertArrayEquals(before, within);
        }
    }

    @Test
    void inputsThatAreOutputsToo() {
        GraphBuilder graph = new GraphBuilder();
        int x = graph.input(ValueType.floats(2, 3), ImageStorage.DECLARED);
        graph.output(graph.add(new UnaryMathOp(UnaryOp.NEG), x), ImageStorage.DECLARED);
        graph.output(graph.add(new ReshapeOp(new int[] {3, 2}), x), ImageStorage.DECLARED);
        Run run = Plain.shared(graph.build()).newRun();
        float[] values = {1, 2, 3, 4, 5, 6};
        FloatBuffer reshaped = FloatBuffer.allocate(6);
        // The first output takes the place of the input, whose elements the second has all the same.
        run.execute(
                new Buffer[] {FloatBuffer.wrap(values)}, new Buffer[] {FloatBuffer.wrap(values), reshaped}, NOTHING);
        assertArrayEquals(new float[] {-1, -2, -3, -4, -5, -6}, values);
        assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, reshaped.array());
    }

    @Test
    void runsOfOneProgramWorkAtTheSameTime() throws Exception {
        OpGraph graph = new RandomGraph(11, ImageLayout.NHWC, Element.FLOAT32).build(10);
        Program program = Plain.shared(graph);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Void>> done = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int seed = thread;
                Callable<Void> task = () -> {
                    Run run = program.newRun();
                    float[] pixels = (float[]) Plain.random(
                            ValueType.floats(program.inputs().get(0).size()), new Random(seed));
                    float[] first = execute(program, run, pixels);
                    for (int i = 0; i < 50; i++) {
                        assertArrayEquals(first, execute(program, run, pixels));
                    }
                    return null;
                };
                done.add(threads.submit(task));
            }
            for (Future<Void> future : done) {
                future.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    private static float[] execute(Program program, Run run, float[] pixels) {
        return execute(program, run, FloatBuffer.wrap(pixels));
    }

    private static float[] execute(Program program, Run run, FloatBuffer pixels) {
        Buffer[] out = new Buffer[3];
        FloatBuffer result = FloatBuffer.allocate(program.outputs().get(0).size());
        out[0] = result;
        run.execute(new Buffer[] {pixels}, out, NOTHING);
        return result.array();
    }
}
