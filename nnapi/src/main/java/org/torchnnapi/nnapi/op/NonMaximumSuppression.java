package org.torchnnapi.nnapi.op;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Keeps the best of boxes that overlap. Candidates are indexes into the scores; {@code boxOf} says where a candidate's
 * box starts. The best candidate is taken, the others' scores are multiplied by a factor that depends on their overlap
 * with it, and those that fall below a threshold are dropped; and so on.
 */
final class NonMaximumSuppression {
    /** What an overlap does to a score. */
    interface Decay {
        float factor(float overlap);
    }

    private final float[] scores;
    private final float[] boxes;
    private final IntUnaryOperator boxOf;

    /** @param scores changed by {@link #soft} */
    NonMaximumSuppression(float[] scores, float[] boxes, IntUnaryOperator boxOf) {
        this.scores = scores;
        this.boxes = boxes;
        this.boxOf = boxOf;
    }

    /**
     * Drops every candidate that overlaps a better one by {@code threshold} or more; best first, at most {@code limit}
     * (negative: all).
     */
    List<Integer> hard(List<Integer> candidates, float threshold, int limit) {
        return select(candidates, limit, (best, other) -> !(overlap(best, other) >= threshold));
    }

    /** Decays the scores of overlapping candidates and drops those whose score falls below {@code threshold}. */
    List<Integer> soft(List<Integer> candidates, Decay decay, float threshold, int limit) {
        return select(candidates, limit, (best, other) -> {
            scores[other] *= decay.factor(overlap(best, other));
            return !(scores[other] < threshold);
        });
    }

    private interface Survival {
        boolean survives(int best, int other);
    }

    private float overlap(int a, int b) {
        return Boxes.intersectionOverUnion(boxes, boxOf.applyAsInt(a), boxOf.applyAsInt(b));
    }

    private List<Integer> select(List<Integer> candidates, int limit, Survival survival) {
        List<Integer> left = new ArrayList<>(candidates);
        List<Integer> taken = new ArrayList<>();
        while (!left.isEmpty() && (limit < 0 || taken.size() < limit)) {
            int at = 0;
            for (int i = 1; i < left.size(); i++) {
                if (scores[left.get(i)] > scores[left.get(at)]) {
                    at = i;
                }
            }
            int best = left.remove(at);
            taken.add(best);
            left.removeIf(other -> !survival.survives(best, other));
        }
        return taken;
    }

    /**
     * Candidates of one class among {@code count} rows of {@code classes} scores from {@code from} on: those above
     * {@code threshold}.
     */
    static List<Integer> candidates(float[] scores, int from, int count, int classes, int ofClass, float threshold) {
        List<Integer> candidates = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = from + i * classes + ofClass;
            if (scores[index] > threshold) {
                candidates.add(index);
            }
        }
        return candidates;
    }

    /** The {@code limit} best by score (negative: all), best first; of equal ones the first stays first. */
    List<Integer> top(List<Integer> candidates, int limit) {
        List<Integer> sorted = new ArrayList<>(candidates);
        sorted.sort((a, b) -> Float.compare(scores[b], scores[a]));
        return limit < 0 || sorted.size() <= limit ? sorted : sorted.subList(0, limit);
    }
}
