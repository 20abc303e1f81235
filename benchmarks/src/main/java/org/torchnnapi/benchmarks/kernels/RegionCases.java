package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.bytes;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.ints;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.WeightedRows;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.Run;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.RoiAlignOp;
import org.torchnnapi.program.op.RoiPoolOp;

/**
 * Regions of interest, as the second stage of a detector has them: 100 boxes of a feature map of 256 channels, 7x7 bins
 * each.
 */
final class RegionCases {
    private static final int REGIONS = 100;
    private static final int BINS = 7;
    private static final int HEIGHT = 50;
    private static final int WIDTH = 68;
    private static final int CHANNELS = 256;
    private static final int STRIDE = 16;
    private static final int PIXELS = 16;
    private static final ByteQuantization BYTES = new ByteQuantization(Element.UINT8, 0.02f, 117);

    private RegionCases() {}

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        ValueType floats = ValueType.floats(1, HEIGHT, WIDTH, CHANNELS);
        ValueType bytes = ValueType.bytes(BYTES, 1, HEIGHT, WIDTH, CHANNELS);
        add(cases, "REGIONS_ALIGNED_FLOAT", new RoiAlignOp(BINS, BINS, STRIDE, STRIDE, 2, 2, null), floats);
        add(cases, "REGIONS_ALIGNED_UINT8", new RoiAlignOp(BINS, BINS, STRIDE, STRIDE, 2, 2, BYTES), bytes);
        add(cases, "REGIONS_POOLED_FLOAT", new RoiPoolOp(BINS, BINS, STRIDE, STRIDE), floats);
        add(cases, "REGIONS_POOLED_UINT8", new RoiPoolOp(BINS, BINS, STRIDE, STRIDE), bytes);
        cases.add(new KernelCase("WEIGHTED_ROWS_16X256", KernelCase.Unit.FLOAT_MULTIPLY_ADDS, PIXELS * CHANNELS, () -> {
            float[] in = floats(WIDTH * CHANNELS);
            int[] rows = ints(PIXELS, in.length - CHANNELS);
            float[] weights = floats(PIXELS);
            float[] out = new float[CHANNELS];
            return () -> WeightedRows.sum(in, rows, weights, PIXELS, out, 0, CHANNELS, false);
        }));
        return cases;
    }

    private static void add(List<KernelCase> cases, String name, Op op, ValueType images) {
        cases.add(KernelCase.elements(
                "PROGRAM_" + name, (long) REGIONS * BINS * BINS * CHANNELS, () -> program(op, images)));
    }

    private static Runnable program(Op op, ValueType images) {
        KernelPool.shared().setNumThreads(1);
        GraphBuilder graph = new GraphBuilder();
        int image = graph.input(images, ImageStorage.DECLARED);
        int result = graph.add(
                op,
                image,
                graph.constant(ValueType.floats(REGIONS, 4), boxes()),
                graph.constant(ValueType.ints(REGIONS), new int[REGIONS]));
        graph.output(result, ImageStorage.DECLARED);
        int count = graph.type(result).count();
        Buffer[] in = {
            images.isFloat() ? FloatBuffer.wrap(floats(images.count())) : ByteBuffer.wrap(bytes(images.count()))
        };
        Buffer[] out = {images.isFloat() ? FloatBuffer.allocate(count) : ByteBuffer.allocate(count)};
        Run run = Program.compile(graph.build(), () -> {}).newRun();
        return () -> run.execute(in, out, () -> {});
    }

    /** Of 50 to 550 by 30 to 390 pixels of the image that the features were made from. */
    private static float[] boxes() {
        Random random = new Random(REGIONS);
        float[] boxes = new float[REGIONS * 4];
        for (int i = 0; i < boxes.length; i += 4) {
            boxes[i] = random.nextInt(WIDTH * STRIDE - 550);
            boxes[i + 1] = random.nextInt(HEIGHT * STRIDE - 390);
            boxes[i + 2] = boxes[i] + 50 + random.nextInt(500);
            boxes[i + 3] = boxes[i + 1] + 30 + random.nextInt(360);
        }
        return boxes;
    }
}
