package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/** Against the plain rule, a best box at a time, with many equal scores. */
class DetectionsOpTest {
    private static final List<Float> SCALES = List.of(10f, 8f, 5f, 4f);
    private static final int BATCH = 2;
    private static final int NUMBERS = 6;
    private final Random random = new Random(3);
    private float[] scores;
    private float[] deltas;
    private float[] anchors;

    private void make(int count, int classes) {
        scores = new float[BATCH * count * classes];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = random.nextInt(20) / 20f;
        }
        deltas = new float[BATCH * count * NUMBERS];
        for (int i = 0; i < deltas.length; i++) {
            deltas[i] = (float) random.nextGaussian();
        }
        anchors = new float[count * 4];
        for (int i = 0; i < anchors.length; i++) {
            anchors[i] = i % 4 < 2 ? random.nextFloat() : 0.1f + random.nextFloat() / 2;
        }
    }

    private float[] box(int image, int anchor, int count) {
        float[] box = new float[4];
        int delta = (image * count + anchor) * NUMBERS;
        for (int i = 0; i < 2; i++) {
            float size = anchors[4 * anchor + 2 + i];
            float centre = anchors[4 * anchor + i] + size * deltas[delta + i] / SCALES.get(i);
            float half = size * (float) StrictMath.exp(deltas[delta + 2 + i] / SCALES.get(2 + i)) / 2;
            box[i] = centre - half;
            box[2 + i] = centre + half;
        }
        return box;
    }

    private static float overlap(float[] a, float[] b) {
        float height = Math.max(Math.min(a[2], b[2]) - Math.max(a[0], b[0]), 0);
        float width = Math.max(Math.min(a[3], b[3]) - Math.max(a[1], b[1]), 0);
        float both = height * width;
        return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
    }

    private record Found(int anchor, int label, float score) {}

    /** Best first, of equal ones the first; less those that overlap a better one. */
    private List<Found> suppressed(List<Found> candidates, int image, int count, float threshold, int most) {
        List<Found> sorted = new ArrayList<>(candidates);
        sorted.sort(Comparator.comparingDouble(found -> -found.score));
        List<Found> kept = new ArrayList<>();
        for (Found found : sorted) {
            if (kept.size() < most
                    && kept.stream()
                            .noneMatch(
                                    better -> overlap(box(image, better.anchor, count), box(image, found.anchor, count))
                                            >= threshold)) {
                kept.add(found);
            }
        }
        return kept;
    }

    private List<Found> expected(DetectionsOp op, int image, int count, int classes) {
        List<Found> found = new ArrayList<>();
        if (op.regular()) {
            for (int c = 1; c < classes; c++) {
                List<Found> candidates = new ArrayList<>();
                for (int a = 0; a < count; a++) {
                    float score = scores[(image * count + a) * classes + c];
                    if (score > op.scoreThreshold()) {
                        candidates.add(new Found(a, c, score));
                    }
                }
                found.addAll(suppressed(candidates, image, count, op.overlapThreshold(), op.limit()));
            }
            found.sort(Comparator.comparingDouble(one -> -one.score));
            return found.subList(0, Math.min(op.most(), found.size()));
        }
        List<Found> candidates = new ArrayList<>();
        for (int a = 0; a < count; a++) {
            List<Found> labels = labels(image, a, count, classes);
            if (labels.get(0).score > op.scoreThreshold()) {
                candidates.add(labels.get(0));
            }
        }
        for (Found best : suppressed(candidates, image, count, op.overlapThreshold(), op.most())) {
            found.addAll(labels(image, best.anchor, count, classes).subList(0, Math.min(classes - 1, op.limit())));
        }
        return found;
    }

    private List<Found> labels(int image, int anchor, int count, int classes) {
        List<Found> labels = new ArrayList<>();
        for (int c = 1; c < classes; c++) {
            labels.add(new Found(anchor, c, scores[(image * count + anchor) * classes + c]));
        }
        labels.sort(Comparator.comparingDouble(label -> -label.score));
        return labels;
    }

    @Test
    void equalTheirTwin() {
        for (boolean regular : new boolean[] {true, false}) {
            for (int count : new int[] {1, 7, 90}) {
                for (int classes : new int[] {2, 6, 21}) {
                    make(count, classes);
                    DetectionsOp op =
                            new DetectionsOp(SCALES, regular, 8, regular ? 3 : 2, 0.3f, 0.4f, regular ? 1 : 0);
                    check(op, count, classes);
                }
            }
        }
    }

    private void check(DetectionsOp op, int count, int classes) {
        int entries = op.entries();
        int all = BATCH * entries;
        float[] wanted = new float[6 * all + BATCH];
        for (int image = 0; image < BATCH; image++) {
            List<Found> found = expected(op, image, count, classes);
            for (int i = 0; i < found.size(); i++) {
                int at = image * entries + i;
                wanted[at] = found.get(i).score;
                System.arraycopy(box(image, found.get(i).anchor, count), 0, wanted, all + 4 * at, 4);
                wanted[5 * all + at] = found.get(i).label - op.firstLabel();
            }
            wanted[6 * all + image] = found.size();
        }
        float[] out = (float[]) Ops.run(
                op,
                List.of(
                        ValueType.floats(BATCH, count, classes),
                        ValueType.floats(BATCH, count, NUMBERS),
                        ValueType.floats(count, 4)),
                scores,
                deltas,
                anchors);
        assertArrayEquals(wanted, out, op + " of " + count + " anchors, " + classes + " classes");
    }

    @Test
    void wrongParametersAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new DetectionsOp(SCALES.subList(0, 3), true, 1, 1, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new DetectionsOp(SCALES, true, 0, 1, 0, 0, 0));
    }
}
