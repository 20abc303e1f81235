package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The sizes for which a model with open sizes is converted, to find what follows from them. Some are as near to the
 * first as windows are told apart by. Of each open size one is about twice the first, where the model takes that: what
 * changes once in 32 rows, such as the sizes behind five poolings, would else seem to be the same for all. No two open
 * sizes are ordered alike over the samples, not even in which of them are the largest or the smallest: what follows
 * from the one, if only by a single step, is not taken to follow from the other. Immutable.
 */
final class ShapeSamples {
    /** By how many steps sizes differ from the first, beside the far ones. */
    private static final int[] OFFSETS = {0, 1, 2, 3, 4, 5, 6, 7, 11, 16};

    private static final int[] MORE_OFFSETS = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 32, 41
    };
    /** Instead of far ones, of models that take no such sizes, and of batches. */
    private static final int NEAR = 9;

    private static final int LESS_NEAR = 29;
    private static final int BETWEEN = 25;
    /** Strides through the offsets, one an open size, prime to the number of offsets, and where each begins. */
    private static final int[] STRIDES = {1, 2, 3, 4, 5, 6};

    private static final int[] STARTS = {1, 0, 1, 2, 2, 8};
    private static final int[][] CHECKED = {{9, 13, 8, 14}, {10, 8, 12, 15}};
    /** Parts of the first size that are added to it, the largest that the model takes. */
    private static final double[] FAR = {1, 0.5, 0.25};

    private final DynamicInputs inputs;
    private final long[] base;
    private final long step;
    private final long[] far;

    private ShapeSamples(DynamicInputs inputs, long[] base, long step, long... far) {
        this.inputs = inputs;
        this.base = base;
        this.step = step;
        this.far = far;
    }

    /**
     * @param runs whether the model runs on such sizes
     * @return null where it does not run on sizes near the first
     */
    static ShapeSamples of(DynamicInputs inputs, long[] base, long step, Predicate<long[]> runs) {
        ShapeSamples near = new ShapeSamples(inputs, base, step, new long[base.length]);
        if (!runs.test(near.sample(OFFSETS, 0)) || !runs.test(near.sample(OFFSETS, 1))) {
            return null;
        }
        long[] far = new long[base.length];
        for (int k = 0; k < far.length; k++) {
            for (int f = 0; f < FAR.length && far[k] == 0 && !inputs.isBatch(k); f++) {
                long[] tried = new long[far.length];
                tried[k] = offset(base[k], step, FAR[f]);
                ShapeSamples one = new ShapeSamples(inputs, base, step, tried);
                far[k] = tried[k] > 0 && runs.test(one.sample(OFFSETS, whereFar(k))) ? tried[k] : 0;
            }
        }
        return new ShapeSamples(inputs, base, step, far);
    }

    /** Steps to a far size that is none of the others; 0 where near ones are as far. */
    private static long offset(long size, long step, double part) {
        long steps = (long) Math.ceil(size * part / step) + 1;
        if (steps <= OFFSETS[OFFSETS.length - 1]) {
            return 0;
        }
        while (contains(steps)) {
            steps++;
        }
        return steps;
    }

    private static boolean contains(long steps) {
        return steps == LESS_NEAR || Arrays.stream(MORE_OFFSETS).anyMatch(offset -> offset == steps);
    }

    /** The sizes to begin with, the first among them. */
    List<long[]> few() {
        return samples(OFFSETS);
    }

    /** More sizes, which tell what rounds where; the first among them. */
    List<long[]> many() {
        return samples(MORE_OFFSETS);
    }

    /**
     * Sizes of which nothing was made, to check what was.
     *
     * @param runs whether the model runs on such sizes
     */
    List<long[]> checked(Predicate<long[]> runs) {
        List<long[]> checked = new ArrayList<>();
        for (int i = 0; i < CHECKED.length; i++) {
            int[] offsets = CHECKED[i];
            long[] near = new long[base.length];
            Arrays.setAll(near, k -> moved(k, offsets[k % offsets.length]));
            long[] sizes = near.clone();
            for (int k = i; k < sizes.length; k += CHECKED.length) {
                sizes[k] = far[k] == 0 ? sizes[k] : moved(k, far[k] - 1);
            }
            checked.add(Arrays.equals(near, sizes) || runs.test(sizes) ? sizes : near);
        }
        return checked;
    }

    /** Whether an input has more than so many elements for the largest near sizes, and many more than for the first. */
    static boolean areLarge(DynamicInputs inputs, long[] base, long step, long most) {
        long[] largest = new long[base.length];
        ShapeSamples near = new ShapeSamples(inputs, base, step, new long[base.length]);
        Arrays.setAll(largest, k -> near.moved(k, OFFSETS[OFFSETS.length - 1]));
        return inputs.elements(largest) > Math.max(most, inputs.elements(base) * 4);
    }

    private List<long[]> samples(int... offsets) {
        List<long[]> samples = new ArrayList<>(List.of(base));
        for (int i = 0; i < count(offsets); i++) {
            long[] sample = sample(offsets, i);
            if (!Arrays.equals(sample, base)) {
                samples.add(sample);
            }
        }
        return samples;
    }

    private long[] sample(int[] offsets, int number) {
        long[] sizes = new long[base.length];
        for (int k = 0; k < sizes.length; k++) {
            int at = place(offsets, number, k);
            long last = far[k] > 0 ? far[k] : offsets.length == OFFSETS.length ? NEAR : LESS_NEAR;
            sizes[k] = moved(k, at < offsets.length ? offsets[at] : at == offsets.length ? last : between(far[k]));
        }
        return sizes;
    }

    /** Steps on the way to a far size, where another width of windows would be some windows off. */
    private static long between(long far) {
        long steps = far * 5 / 8;
        while (steps > 0 && contains(steps)) {
            steps++;
        }
        return far == 0 ? BETWEEN : steps;
    }

    /** Samples beside the first: a far one more than offsets, and of many another on the way there. */
    private static int count(int... offsets) {
        return offsets.length + (offsets.length == OFFSETS.length ? 1 : 2);
    }

    private static int place(int[] offsets, int number, int k) {
        return (number * STRIDES[k % STRIDES.length] + STARTS[k % STARTS.length] + k / STARTS.length) % count(offsets);
    }

    /** The number of the sample in which a size is far. */
    private static int whereFar(int k) {
        return IntStream.rangeClosed(0, OFFSETS.length)
                .filter(number -> place(OFFSETS, number, k) == OFFSETS.length)
                .findFirst()
                .getAsInt();
    }

    private long moved(int k, long steps) {
        return base[k] + steps * (inputs.isBatch(k) ? 1 : step);
    }
}
