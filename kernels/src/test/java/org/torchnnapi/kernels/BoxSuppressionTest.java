package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.BoxSuppression.Decay;

/**
 * Against the plain rule, a best box at a time, to the bit: with equal scores, equal boxes and empty ones; fewer boxes
 * than a vector and many.
 */
class BoxSuppressionTest {
    private final Random random = new Random(6);
    private final BoxSuppression suppression = new BoxSuppression();

    private record Kept(int id, float score) {}

    private float[] boxes(int count) {
        float[] boxes = new float[4 * count];
        for (int i = 0; i < boxes.length; i += 4) {
            boxes[i] = random.nextInt(10);
            boxes[i + 1] = random.nextInt(10);
            boxes[i + 2] = boxes[i] + random.nextInt(6);
            boxes[i + 3] = boxes[i + 1] + random.nextInt(6) * random.nextFloat();
        }
        return boxes;
    }

    private float[] scores(int count) {
        float[] scores = new float[count];
        for (int i = 0; i < count; i++) {
            scores[i] = random.nextInt(12) == 0 ? -0f : random.nextInt(20) / 20f;
        }
        return scores;
    }

    private static float overlap(float[] boxes, int a, int b) {
        float width = Math.max(Math.min(boxes[4 * a + 2], boxes[4 * b + 2]) - Math.max(boxes[4 * a], boxes[4 * b]), 0);
        float height = Math.max(
                Math.min(boxes[4 * a + 3], boxes[4 * b + 3]) - Math.max(boxes[4 * a + 1], boxes[4 * b + 1]), 0);
        float areaA = (boxes[4 * a + 2] - boxes[4 * a]) * (boxes[4 * a + 3] - boxes[4 * a + 1]);
        float areaB = (boxes[4 * b + 2] - boxes[4 * b]) * (boxes[4 * b + 3] - boxes[4 * b + 1]);
        return width * height / (areaA + areaB - width * height);
    }

    private static float factor(Decay decay, float overlap, float threshold, float sigma) {
        return switch (decay) {
            case HARD -> overlap < threshold ? 1 : 0;
            case LINEAR -> overlap < threshold ? 1 : 1 - overlap;
            case GAUSSIAN -> (float) StrictMath.exp(-overlap * overlap / sigma);
        };
    }

    /** @param decay null for hard suppression, which leaves scores as they are */
    private static List<Kept> expected(
            float[] boxes, float[] given, Decay decay, float threshold, float sigma, float least, int most) {
        float[] scores = given.clone();
        List<Integer> left = new ArrayList<>();
        for (int i = 0; i < scores.length; i++) {
            left.add(i);
        }
        List<Kept> kept = new ArrayList<>();
        while (!left.isEmpty() && (most < 0 || kept.size() < most)) {
            int best = left.get(0);
            for (int i : left) {
                best = scores[i] > scores[best] ? i : best;
            }
            kept.add(new Kept(best, scores[best]));
            left.remove((Integer) best);
            List<Integer> survivors = new ArrayList<>();
            for (int i : left) {
                float overlap = overlap(boxes, best, i);
                if (decay != null) {
                    scores[i] *= factor(decay, overlap, threshold, sigma);
                }
                if (decay == null ? !(overlap >= threshold) : !(scores[i] < least)) {
                    survivors.add(i);
                }
            }
            left = survivors;
        }
        return kept;
    }

    private List<Kept> kept(int count) {
        List<Kept> kept = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            kept.add(new Kept(suppression.id(i), suppression.score(i)));
        }
        return kept;
    }

    private void add(float[] boxes, float[] scores) {
        suppression.clear();
        for (int i = 0; i < scores.length; i++) {
            suppression.add(i, scores[i], boxes, 4 * i);
        }
        assertEquals(scores.length, suppression.size());
    }

    @Test
    void hard() {
        for (int count : new int[] {0, 1, 2, 17, 130, 400}) {
            for (int most : new int[] {-1, 0, 1, 9, 1000}) {
                for (float threshold : new float[] {0, 0.1f, 0.5f, 1}) {
                    float[] boxes = boxes(count);
                    float[] scores = scores(count);
                    add(boxes, scores);
                    int found = suppression.hard(threshold, most);
                    assertEquals(
                            expected(boxes, scores, null, threshold, 0, 0, most),
                            kept(found),
                            count + " boxes, threshold " + threshold);
                }
            }
        }
    }

    @Test
    void soft() {
        for (Decay decay : Decay.values()) {
            for (int count : new int[] {0, 1, 2, 17, 130}) {
                for (int most : new int[] {-1, 1, 9}) {
                    for (float least : new float[] {0, 0.01f, 0.3f}) {
                        float[] boxes = boxes(count);
                        float[] scores = scores(count);
                        add(boxes, scores);
                        int found = suppression.soft(decay, 0.3f, 0.5f, least, most);
                        assertEquals(
                                expected(boxes, scores, decay, 0.3f, 0.5f, least, most),
                                kept(found),
                                decay + ", " + count + " boxes, least " + least);
                    }
                }
            }
        }
    }

    @Test
    void noRoomIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> suppression.add(0, 1, new float[4], 1));
        assertThrows(IndexOutOfBoundsException.class, () -> suppression.id(0));
    }
}
