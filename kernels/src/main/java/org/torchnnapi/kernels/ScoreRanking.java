package org.torchnnapi.kernels;

import java.util.Arrays;

/** The best of many scores: what is certainly not among them is left out before anything is sorted. */
public final class ScoreRanking {
    /** Scores that are sorted sooner than counted. */
    private static final int FEW = 2048;
    /** Scores are counted by so many of their first bits. */
    private static final int COUNTED_BITS = 16;

    private long[] ranks = {};
    private int[] counts = {};

    /** A number that orders as the scores do: of all floats by size, -0 below 0, NaN the largest. */
    static int order(float score) {
        int bits = Float.floatToIntBits(score);
        return bits >= 0 ? bits : bits ^ Integer.MAX_VALUE;
    }

    /** Smaller for what goes first: the larger score, of equal ones the first. */
    static long rank(float score, int place) {
        return (long) ~order(score) << Integer.SIZE | place;
    }

    /**
     * Where the best scores are, best first; of equal ones the first. -0 counts as less than 0, NaN as the best of all,
     * as {@link Float#compare} has it.
     *
     * @param count of the scores from {@code offset} on
     * @param places receives the {@code most} places, or all if there are fewer, counted from {@code offset}
     */
    public void best(float[] scores, int offset, int count, int most, int[] places) {
        Check.atLeast("scores", count, 0);
        Check.atLeast("most", most, 0);
        Check.room("scores", scores.length, offset, count);
        int wanted = Math.min(most, count);
        Check.room("places", places.length, 0, wanted);
        if (ranks.length < count) {
            ranks = new long[count];
        }
        int candidates = count > FEW && wanted < count / 2
                ? candidates(scores, offset, count, wanted)
                : all(scores, offset, count);
        Arrays.sort(ranks, 0, candidates);
        for (int i = 0; i < wanted; i++) {
            places[i] = (int) ranks[i];
        }
    }

    private int all(float[] scores, int offset, int count) {
        for (int i = 0; i < count; i++) {
            ranks[i] = rank(scores[offset + i], i);
        }
        return count;
    }

    /** Ranks those whose first bits are no worse than those of the last one wanted; returns how many. */
    private int candidates(float[] scores, int offset, int count, int wanted) {
        if (counts.length == 0) {
            counts = new int[1 << COUNTED_BITS];
        }
        Arrays.fill(counts, 0);
        for (int i = 0; i < count; i++) {
            counts[group(rank(scores[offset + i], i))]++;
        }
        int last = 0;
        for (int sum = counts[0]; sum < wanted; sum += counts[last]) {
            last++;
        }
        int candidates = 0;
        for (int i = 0; i < count; i++) {
            long rank = rank(scores[offset + i], i);
            if (group(rank) <= last) {
                ranks[candidates++] = rank;
            }
        }
        return candidates;
    }

    /** The first bits of a rank, as a number from 0 on. */
    private static int group(long rank) {
        return (int) (rank >> Long.SIZE - COUNTED_BITS) + (1 << COUNTED_BITS - 1);
    }
}
