package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Sizes that a program is found from: the example's, some near it, and of each open size one that is about twice as
 * great, where the method takes that, as what changes once in many steps would else seem to be the same for all.
 * Confined to one thread.
 */
final class SizeSamples {
    private static final long[] STEPS = {1, 2, 4, 8, 16, 32, 64, 3, 5, 6, 7, 10, 12};
    /** In steps from the example. As many as a prime, so that no two open sizes are ordered alike. */
    private static final int[] OFFSETS = {1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 16, -1, -2};
    /** Those that are kept back to check what was found. */
    private static final int[] CHECKED = {8, 13, 10, 12};

    private static final double[] FAR = {1, 0.5};
    private static final int FEWEST = 4;

    private final long[] base;
    private final int backed;
    private final long[] steps;
    private final Predicate<long[]> runs;
    private final Map<List<Long>, Boolean> tried = new LinkedHashMap<>();
    private final boolean[] far;

    /**
     * @param backed how many of them are sizes of arguments, which are never tried with 0
     * @param runs whether the method does the same for such sizes as for the example's, of other numbers
     */
    SizeSamples(long[] base, int backed, Predicate<long[]> runs) {
        this.backed = backed;
        this.base = base.clone();
        this.steps = new long[base.length];
        this.far = new boolean[base.length];
        this.runs = runs;
    }

    /**
     * Finds sizes.
     *
     * @return the first open size that no others are found of; -1 if there is none
     */
    int find() {
        for (int k = 0; k < base.length; k++) {
            for (int i = 0; i < STEPS.length && steps[k] == 0; i++) {
                boolean near = tries(moved(k, STEPS[i])) || tries(moved(k, -STEPS[i]));
                steps[k] = near && (tries(moved(k, 2 * STEPS[i])) || tries(moved(k, -2 * STEPS[i]))) ? STEPS[i] : 0;
            }
            if (steps[k] == 0) {
                return k;
            }
        }
        for (int n = 0; n < OFFSETS.length; n++) {
            tries(sample(n));
        }
        for (int k = 0; k < base.length; k++) {
            for (int i = 0; i < OFFSETS.length && distinct(k) < OFFSETS.length / 2; i++) {
                tries(moved(k, steps[k] * OFFSETS[i]));
            }
            if (distinct(k) < FEWEST) {
                return k;
            }
            far(k);
        }
        return -1;
    }

    private void far(int k) {
        for (int i = 0; i < FAR.length && !far[k]; i++) {
            long[] sizes = sample(k);
            sizes[k] = base[k] + steps[k] * ((long) Math.ceil(base[k] * FAR[i] / steps[k]) + 1);
            far[k] = tries(sizes) || tries(moved(k, sizes[k] - base[k]));
        }
    }

    /** Whether a size much greater than the example's was among those that ran. */
    boolean isFar(int k) {
        return far[k];
    }

    /** The least or greatest size that ran. */
    long extreme(int k, boolean least) {
        var values = ran().stream().mapToLong(sample -> sample[k]);
        return least ? values.min().getAsLong() : values.max().getAsLong();
    }

    /** Sizes that ran, the example's first. */
    List<long[]> ran() {
        List<long[]> all = new ArrayList<>(List.of(base));
        tried.forEach((sizes, ran) -> {
            if (ran) {
                all.add(sizes.stream().mapToLong(Long::longValue).toArray());
            }
        });
        return all;
    }

    /** Sizes to check with. */
    List<long[]> checked() {
        List<long[]> all = new ArrayList<>();
        for (int n = 0; n < 2; n++) {
            long[] sizes = new long[base.length];
            for (int k = 0; k < sizes.length; k++) {
                sizes[k] = base[k] + steps[k] * CHECKED[(n + k) % CHECKED.length];
            }
            all.add(sizes);
        }
        return all;
    }

    private long distinct(int k) {
        return ran().stream().mapToLong(sample -> sample[k]).distinct().count();
    }

    private long[] sample(int n) {
        long[] sizes = new long[base.length];
        for (int k = 0; k < sizes.length; k++) {
            long moved = base[k] + steps[k] * OFFSETS[(n * (k + 1) + 2 * k) % OFFSETS.length];
            sizes[k] = moved < 1 ? base[k] + steps[k] * (OFFSETS.length + k) : moved;
        }
        return sizes;
    }

    private long[] moved(int k, long by) {
        long[] sizes = base.clone();
        sizes[k] += by;
        return sizes;
    }

    private boolean tries(long[] sizes) {
        for (int k = 0; k < sizes.length; k++) {
            if (sizes[k] < Math.min(base[k], k < backed ? 1 : 0)) {
                return false;
            }
        }
        if (Arrays.equals(sizes, base)) {
            return false;
        }
        List<Long> key = new ArrayList<>();
        Arrays.stream(sizes).forEach(key::add);
        Boolean known = tried.get(key);
        if (known == null) {
            known = runs.test(sizes);
            tried.put(key, known);
        }
        return known;
    }
}
