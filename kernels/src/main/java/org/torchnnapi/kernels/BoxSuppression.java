package org.torchnnapi.kernels;

import java.util.Arrays;
import java.util.Objects;

/**
 * Non-maximum suppression: of boxes that overlap the one with the best score is kept, the others are dropped (hard) or
 * their scores lowered (soft; Bodla et al. 2017). How much boxes overlap is the area of their intersection over that of
 * their union. Boxes are four numbers x1, y1, x2, y2. Among equal scores the box that was added first is the better.
 * Not thread-safe; keeps its room for the next boxes.
 */
public final class BoxSuppression {
    /** Numbers a box. */
    public static final int BOX = 4;
    /** Boxes whose overlaps are computed before the first of them is looked at. */
    private static final int TOGETHER = 64;

    /** What the overlap with a better box does to a score. */
    public enum Decay {
        /** 0 from the threshold on. */
        HARD {
            @Override
            void factors(float[] overlaps, int count, float threshold, float sigma) {
                for (int i = 0; i < count; i++) {
                    overlaps[i] = overlaps[i] < threshold ? 1 : 0;
                }
            }
        },
        /** The part that does not overlap from the threshold on. */
        LINEAR {
            @Override
            void factors(float[] overlaps, int count, float threshold, float sigma) {
                for (int i = 0; i < count; i++) {
                    overlaps[i] = overlaps[i] < threshold ? 1 : 1 - overlaps[i];
                }
            }
        },
        /** {@code exp(-overlap^2 / sigma)}, in double. */
        GAUSSIAN {
            @Override
            void factors(float[] overlaps, int count, float threshold, float sigma) {
                for (int i = 0; i < count; i++) {
                    // Most boxes do not meet.
                    overlaps[i] = overlaps[i] == 0 ? 1 : Exponential.rounded(-overlaps[i] * overlaps[i] / sigma);
                }
            }
        };

        /** Replaces overlaps by what scores are multiplied by. */
        abstract void factors(float[] overlaps, int count, float threshold, float sigma);
    }

    private final Corners candidates = new Corners();
    private final Corners kept = new Corners();
    private float[] scores = {};
    private int[] ids = {};
    private float[] overlaps = {};
    private long[] ranks = {};
    private int count;
    private int[] keptIds = {};
    private float[] keptScores = {};
    private int keptCount;

    /** Boxes with each of their numbers in an array of its own, for overlaps with several to be computed together. */
    private static final class Corners {
        private float[] x1 = {};
        private float[] y1 = {};
        private float[] x2 = {};
        private float[] y2 = {};
        private float[] area = {};

        void grow(int size) {
            if (x1.length < size) {
                x1 = Arrays.copyOf(x1, size);
                y1 = Arrays.copyOf(y1, size);
                x2 = Arrays.copyOf(x2, size);
                y2 = Arrays.copyOf(y2, size);
                area = Arrays.copyOf(area, size);
            }
        }

        void set(int at, float[] boxes, int from) {
            x1[at] = boxes[from];
            y1[at] = boxes[from + 1];
            x2[at] = boxes[from + 2];
            y2[at] = boxes[from + 3];
            area[at] = (x2[at] - x1[at]) * (y2[at] - y1[at]);
        }

        void copy(int at, Corners other, int from) {
            x1[at] = other.x1[from];
            y1[at] = other.y1[from];
            x2[at] = other.x2[from];
            y2[at] = other.y2[from];
            area[at] = other.area[from];
        }

        /**
         * Of these boxes from one on, to another, the overlaps with one of others, in their own places; NaN where both
         * are empty. Compilers take several at once only where all arrays have the same index.
         */
        void overlaps(Corners others, int other, int from, int end, float[] to) {
            float left = others.x1[other];
            float top = others.y1[other];
            float right = others.x2[other];
            float bottom = others.y2[other];
            float own = others.area[other];
            for (int i = from; i < end; i++) {
                float width = Math.max(Math.min(right, x2[i]) - Math.max(left, x1[i]), 0);
                float height = Math.max(Math.min(bottom, y2[i]) - Math.max(top, y1[i]), 0);
                float intersection = width * height;
                to[i] = intersection / (own + area[i] - intersection);
            }
        }
    }

    /** Forgets the boxes. */
    public void clear() {
        count = 0;
        keptCount = 0;
    }

    /**
     * Adds a box.
     *
     * @param id what the caller knows it by
     * @param boxes has its four numbers from {@code offset} on
     */
    public void add(int id, float score, float[] boxes, int offset) {
        Check.room("box", boxes.length, offset, BOX);
        if (count == ids.length) {
            int room = Math.max(TOGETHER, 2 * count);
            candidates.grow(room);
            scores = Arrays.copyOf(scores, room);
            ids = Arrays.copyOf(ids, room);
            overlaps = new float[room];
        }
        candidates.set(count, boxes, offset);
        scores[count] = score;
        ids[count] = id;
        count++;
    }

    /** How many boxes there are: those added since {@link #clear}; after a suppression none. */
    public int size() {
        return count;
    }

    /**
     * Keeps the best box, drops those that overlap it by {@code threshold} or more, and so on with what is left.
     *
     * @param most how many are kept at most; negative for all
     * @return how many are kept, best first: {@link #id} and {@link #score}
     */
    public int hard(float threshold, int most) {
        int limit = begin(most);
        rank();
        for (int i = 0; i < count && keptCount < limit; i++) {
            int candidate = (int) ranks[i];
            if (!isCovered(candidate, threshold, false)) {
                keep(candidate);
            }
        }
        count = 0;
        return keptCount;
    }

    /** Brings the candidates into order. */
    private void rank() {
        if (ranks.length < count) {
            ranks = new long[ids.length];
        }
        for (int i = 0; i < count; i++) {
            // The sum makes -0 a 0, its equal here.
            ranks[i] = ScoreRanking.rank(scores[i] + 0f, i);
        }
        Arrays.sort(ranks, 0, count);
    }

    /** @param empty whether boxes that are both empty overlap */
    private boolean isCovered(int candidate, float threshold, boolean empty) {
        for (int from = 0; from < keptCount; from += TOGETHER) {
            int end = Math.min(from + TOGETHER, keptCount);
            kept.overlaps(candidates, candidate, from, end, overlaps);
            for (int i = from; i < end; i++) {
                if (empty ? !(overlaps[i] < threshold) : overlaps[i] >= threshold) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Keeps the best box, multiplies the scores of the others by a factor that depends on their overlap with it, drops
     * those whose score is then below {@code least}, and so on with what is left. Boxes that are both empty overlap.
     *
     * @param sigma of {@link Decay#GAUSSIAN}
     * @param most how many are kept at most; negative for all
     * @return how many are kept, in the order they were: {@link #id} and {@link #score}
     */
    public int soft(Decay decay, float threshold, float sigma, float least, int most) {
        int limit = begin(most);
        if (decay == Decay.HARD && least > 0) {
            keepUncovered(threshold, least, limit);
        } else {
            int best = 0;
            for (int i = 1; i < count; i++) {
                best = scores[i] > scores[best] ? i : best;
            }
            while (count > 0 && keptCount < limit) {
                keep(best);
                candidates.overlaps(kept, keptCount - 1, 0, count, overlaps);
                decay.factors(overlaps, count, threshold, sigma);
                best = lower(least, best);
            }
        }
        count = 0;
        return keptCount;
    }

    /**
     * As is found step by step where no score is lowered but to 0, which is too low: the best box stays however low its
     * score.
     */
    private void keepUncovered(float threshold, float least, int limit) {
        rank();
        for (int i = 0; i < count && keptCount < limit; i++) {
            int candidate = (int) ranks[i];
            if (i > 0 && scores[candidate] < least) {
                break;
            }
            if (!isCovered(candidate, threshold, true)) {
                keep(candidate);
            }
        }
    }

    /**
     * Multiplies the scores of all but the best by what stands in the overlaps' place, and closes ranks; returns where
     * the best one left is.
     */
    private int lower(float least, int best) {
        int left = 0;
        int next = 0;
        for (int i = 0; i < count; i++) {
            float score = scores[i] * overlaps[i];
            if (i == best || score < least) {
                continue;
            }
            scores[left] = score;
            if (left != i) {
                ids[left] = ids[i];
                candidates.copy(left, candidates, i);
            }
            next = score > scores[next] ? left : next;
            left++;
        }
        count = left;
        return next;
    }

    /** Returns how many boxes may be kept. */
    private int begin(int most) {
        int limit = most < 0 ? count : Math.min(most, count);
        reserve(limit);
        return limit;
    }

    private void reserve(int room) {
        keptCount = 0;
        kept.grow(room);
        if (keptIds.length < room) {
            keptIds = new int[room];
            keptScores = new float[room];
        }
    }

    private void keep(int candidate) {
        kept.copy(keptCount, candidates, candidate);
        keptIds[keptCount] = ids[candidate];
        keptScores[keptCount] = scores[candidate];
        keptCount++;
    }

    /** What the caller knows a box by that was kept. */
    public int id(int place) {
        return keptIds[Objects.checkIndex(place, keptCount)];
    }

    /** The score of a box that was kept, as it was then. */
    public float score(int place) {
        return keptScores[Objects.checkIndex(place, keptCount)];
    }
}
