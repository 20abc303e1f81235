package org.torchnnapi.kernels;

import java.util.Arrays;

/**
 * The scores of {@code [boxes][classes]} that are above a threshold, class by class, found in one walk over all scores.
 * Not thread-safe; keeps its room for the next scores.
 */
public final class ClassCandidates {
    private static final int NONE = -1;

    private int[] heads = {};
    private int[] next = {};
    private int offset;

    /**
     * Finds them.
     *
     * @param offset where the first box's scores begin
     * @param threshold what a score must be above; a NaN is not
     */
    public void find(float[] scores, int offset, int boxes, int classes, float threshold) {
        Check.atLeast("boxes", boxes, 0);
        Check.atLeast("classes", classes, 1);
        Check.room("scores", scores.length, offset, (long) boxes * classes);
        this.offset = offset;
        if (heads.length < classes) {
            heads = new int[classes];
        }
        Arrays.fill(heads, 0, classes, NONE);
        if (next.length < boxes * classes) {
            next = new int[boxes * classes];
        }
        // Backwards, so that each class' list begins with its first box.
        for (int box = boxes - 1; box >= 0; box--) {
            int row = box * classes;
            for (int c = 0; c < classes; c++) {
                if (scores[offset + row + c] > threshold) {
                    next[row + c] = heads[c];
                    heads[c] = row + c;
                }
            }
        }
    }

    /** Where in the scores the first one of a class is; negative if there is none. */
    public int first(int ofClass) {
        return heads[ofClass] == NONE ? NONE : offset + heads[ofClass];
    }

    /** Where the next one of the same class is; negative after the last. */
    public int after(int place) {
        int following = next[place - offset];
        return following == NONE ? NONE : offset + following;
    }
}
