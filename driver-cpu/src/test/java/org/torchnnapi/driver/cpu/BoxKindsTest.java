package org.torchnnapi.driver.cpu;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Boxes moved, keypoints and detections against the reference device in all types, bytes to the bit. */
class BoxKindsTest {
    private static final int BOXES = 9;

    /** Ordered boxes within an image of 100 by 100 pixels. */
    static float[] boxes(long seed, int count) {
        Random random = new Random(seed);
        float[] boxes = new float[4 * count];
        for (int i = 0; i < boxes.length; i++) {
            boxes[i] = i % 4 < 2 ? random.nextInt(400) / 8f : boxes[i - 2] + random.nextInt(320) / 8f;
        }
        return boxes;
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void boxesMovedAndWhatIsInThem(OperandType type) {
        Graphs graph = new Graphs(3, type);
        int deltas = graph.tensor(BOXES, 12);
        int moved = graph.coordinates(BOXES, 12);
        int images = graph.ints(0, 1, 1, 0, 0, 1, 0, 0, 1);
        int sizes = graph.coordinates(new float[] {50, 60, 90, 80}, 2, 2);
        graph.builder.addOperation(
                OperationType.AXIS_ALIGNED_BBOX_TRANSFORM,
                new int[] {graph.coordinates(boxes(1, BOXES), BOXES, 4), deltas, images, sizes},
                new int[] {moved});
        int single = graph.tensor(BOXES, 4);
        int movedOnce = graph.coordinates(BOXES, 4);
        graph.builder.addOperation(
                OperationType.AXIS_ALIGNED_BBOX_TRANSFORM,
                new int[] {graph.coordinates(boxes(2, BOXES), BOXES, 4), single, images, sizes},
                new int[] {movedOnce});
        if (type == OperandType.TENSOR_FLOAT16) {
            // The reference rounds boxes to 16 bits on the way, so that another pixel may be the largest.
            graph.compare(new int[] {deltas, single}, moved, movedOnce);
            return;
        }
        int x = graph.tensor(2, 45, 40, 3);
        int two = graph.scalar(2);
        int stride = graph.real(2);
        int pooled = graph.apply(
                OperationType.ROI_POOLING,
                new int[] {BOXES, 2, 2, 3},
                x,
                movedOnce,
                images,
                two,
                two,
                stride,
                stride,
                graph.flag(false));
        graph.compare(new int[] {deltas, single, x}, moved, movedOnce, pooled);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void keypoints(OperandType type) {
        for (boolean channelsFirst : new boolean[] {false, true}) {
            Graphs graph = new Graphs(4, type);
            int x = channelsFirst ? graph.tensor(BOXES, 5, 7, 7) : graph.tensor(BOXES, 7, 7, 5);
            int scores = graph.tensor(BOXES, 5);
            int places = graph.coordinates(BOXES, 5, 2);
            graph.builder.addOperation(
                    OperationType.HEATMAP_MAX_KEYPOINT,
                    new int[] {x, graph.coordinates(boxes(3, BOXES), BOXES, 4), graph.flag(channelsFirst)},
                    new int[] {scores, places});
            graph.compare(new int[] {x}, scores, places);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void detections(boolean regular) {
        Graphs graph = new Graphs(5, OperandType.TENSOR_FLOAT32);
        int scores = graph.tensor(2, 40, 6);
        int deltas = graph.tensor(2, 40, 5);
        int most = 7;
        int entries = regular ? most : 2 * most;
        int found = graph.tensor(2, entries);
        int boxes = graph.tensor(2, entries, 4);
        int classes = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 2, entries));
        int counts = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 2));
        int one = graph.real(1);
        graph.builder.addOperation(
                OperationType.DETECTION_POSTPROCESSING,
                new int[] {
                    scores,
                    deltas,
                    graph.coordinates(boxes(6, 40), 40, 4),
                    graph.real(10),
                    graph.real(9),
                    one,
                    graph.real(2),
                    graph.flag(regular),
                    graph.scalar(most),
                    graph.scalar(2),
                    graph.scalar(3),
                    graph.real(0.2f),
                    graph.real(0.5f),
                    graph.flag(regular)
                },
                new int[] {found, boxes, classes, counts});
        graph.compare(new int[] {scores, deltas}, found, boxes, classes, counts);
    }
}
