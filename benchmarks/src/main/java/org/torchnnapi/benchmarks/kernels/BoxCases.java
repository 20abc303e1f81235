package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.bytes;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.torchnnapi.kernels.BoxRegression;
import org.torchnnapi.kernels.BoxSuppression;
import org.torchnnapi.kernels.BoxSuppression.Decay;
import org.torchnnapi.kernels.ClassCandidates;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.ScoreRanking;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.Run;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BoxTransformOp;
import org.torchnnapi.program.op.DetectionsOp;
import org.torchnnapi.program.op.FakeQuantize;
import org.torchnnapi.program.op.KeypointsOp;

/**
 * Boxes, as detectors have them: 1000 of 81 classes, 51000 anchors, 100 of 17 keypoints, 1917 anchors of 91 classes.
 */
final class BoxCases {
    private static final int BOXES = 1000;
    private static final int CLASSES = 81;
    private static final int ANCHORS = 51_000;
    private static final int BEST = 6000;
    private static final float SIDE = 800;
    private static final ByteQuantization BYTES = new ByteQuantization(Element.UINT8, 0.01f, 128);

    private BoxCases() {}

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        cases.add(KernelCase.elements("BOXES_SUPPRESSED_6000", BEST, () -> suppression(BEST, null)));
        cases.add(KernelCase.elements("BOXES_DECAYED_1000", BOXES, () -> suppression(BOXES, Decay.LINEAR)));
        cases.add(KernelCase.elements("SCORES_RANKED_51000", ANCHORS, () -> {
            ScoreRanking ranking = new ScoreRanking();
            float[] scores = floats(ANCHORS);
            int[] places = new int[BEST];
            return () -> ranking.best(scores, 0, ANCHORS, BEST, places);
        }));
        cases.add(KernelCase.elements("CLASS_CANDIDATES_1000X81", BOXES * CLASSES, () -> {
            ClassCandidates candidates = new ClassCandidates();
            float[] scores = floats(BOXES * CLASSES);
            return () -> candidates.find(scores, 0, BOXES, CLASSES, 0.9f);
        }));
        cases.add(KernelCase.elements("BOXES_REGRESSED_FLOAT", 4 * BOXES * CLASSES, () -> {
            float[] boxes = boxes(BOXES);
            float[] deltas = floats(4 * BOXES * CLASSES);
            float[] out = new float[deltas.length];
            return () -> BoxRegression.regress(boxes, 0, BOXES, deltas, 0, CLASSES, SIDE, SIDE, out, 0);
        }));
        cases.add(KernelCase.elements("BOXES_REGRESSED_UINT8", 4 * BOXES * CLASSES, () -> {
            float[] boxes = boxes(BOXES);
            byte[] deltas = bytes(4 * BOXES * CLASSES);
            float[] reals = floats(256);
            float[] exponentials = BoxRegression.exponentials(reals);
            float[] out = new float[deltas.length];
            return () ->
                    BoxRegression.regress(boxes, 0, BOXES, deltas, 0, CLASSES, reals, exponentials, SIDE, SIDE, out, 0);
        }));
        addPrograms(cases);
        return cases;
    }

    private static void addPrograms(List<KernelCase> cases) {
        ValueType deltas = ValueType.floats(BOXES, 4 * CLASSES);
        cases.add(KernelCase.elements(
                "PROGRAM_BOX_TRANSFORM",
                deltas.count(),
                () -> program(
                        new BoxTransformOp(),
                        List.of(ValueType.floats(BOXES, 4), deltas, ValueType.ints(BOXES), ValueType.floats(1, 2)),
                        boxes(BOXES),
                        floats(deltas.count()),
                        new int[BOXES],
                        new float[] {SIDE, SIDE})));
        for (ValueType maps : List.of(ValueType.floats(100, 56, 56, 17), ValueType.bytes(BYTES, 100, 56, 56, 17))) {
            cases.add(KernelCase.elements(
                    "PROGRAM_KEYPOINTS_" + maps.element(),
                    maps.count(),
                    () -> program(
                            new KeypointsOp(1e-5),
                            List.of(maps, ValueType.floats(100, 4)),
                            maps.isFloat() ? floats(maps.count()) : bytes(maps.count()),
                            boxes(100))));
        }
        ValueType scores = ValueType.floats(1, 1917, 91);
        for (boolean regular : new boolean[] {true, false}) {
            DetectionsOp op =
                    new DetectionsOp(List.of(10f, 10f, 5f, 5f), regular, 100, regular ? 100 : 1, 0.9f, 0.6f, 1);
            cases.add(KernelCase.elements(
                    "PROGRAM_DETECTIONS_" + (regular ? "BY_CLASS" : "BY_BOX"),
                    scores.count(),
                    () -> program(
                            op,
                            List.of(scores, ValueType.floats(1, 1917, 4), ValueType.floats(1917, 4)),
                            floats(scores.count()),
                            floats(4 * 1917),
                            boxes(1917))));
        }
        ValueType row = ValueType.floats(1 << 16);
        cases.add(KernelCase.elements(
                "PROGRAM_STEPPED",
                row.count(),
                () -> program(new FakeQuantize(0.125f, 0, 0, 65535), List.of(row), floats(row.count()))));
    }

    /** @param decay null for hard suppression */
    private static Runnable suppression(int count, Decay decay) {
        BoxSuppression suppression = new BoxSuppression();
        float[] boxes = boxes(count);
        float[] scores = floats(count);
        return () -> {
            suppression.clear();
            for (int i = 0; i < count; i++) {
                suppression.add(i, scores[i], boxes, 4 * i);
            }
            if (decay == null) {
                suppression.hard(0.7f, BOXES);
            } else {
                suppression.soft(decay, 0.5f, 0.5f, 0.05f, 100);
            }
        };
    }

    private static float[] boxes(int count) {
        Random random = new Random(count);
        float[] boxes = new float[4 * count];
        for (int i = 0; i < boxes.length; i++) {
            boxes[i] = i % 4 < 2 ? random.nextFloat() * SIDE : boxes[i - 2] + 20 + random.nextFloat() * SIDE / 4;
        }
        return boxes;
    }

    private static Runnable program(Op op, List<ValueType> types, Object... inputs) {
        KernelPool.shared().setNumThreads(1);
        GraphBuilder graph = new GraphBuilder();
        int[] values = new int[inputs.length];
        Buffer[] in = new Buffer[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            values[i] = graph.input(types.get(i), ImageStorage.DECLARED);
            in[i] = inputs[i] instanceof float[] data
                    ? FloatBuffer.wrap(data)
                    : inputs[i] instanceof int[] data ? IntBuffer.wrap(data) : ByteBuffer.wrap((byte[]) inputs[i]);
        }
        int result = graph.add(op, values);
        graph.output(result, ImageStorage.DECLARED);
        Buffer[] out = {FloatBuffer.allocate(graph.type(result).count())};
        Run run = Program.compile(graph.build(), () -> {}).newRun();
        return () -> run.execute(in, out, () -> {});
    }
}
