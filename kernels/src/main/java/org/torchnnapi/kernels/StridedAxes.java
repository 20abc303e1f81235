package org.torchnnapi.kernels;

import java.util.Arrays;

/**
 * The elements of an input and an output that belong together, axis by axis, outermost first.
 *
 * @param extents how many elements along each axis
 * @param inSteps elements between neighbours along each axis in the input
 * @param outSteps the same in the output
 */
public record StridedAxes(int[] extents, int[] inSteps, int[] outSteps) {
    /** Elements between neighbours along each axis of a tensor without gaps. */
    public static int[] steps(int[] extents) {
        int[] steps = new int[extents.length];
        int step = 1;
        for (int i = extents.length - 1; i >= 0; i--) {
            steps[i] = step;
            step *= extents[i];
        }
        return steps;
    }

    /**
     * The same elements with axes of one element left out and those that run on in both tensors made one; no axes for a
     * single element.
     */
    public StridedAxes merged() {
        int[] merged = new int[extents.length];
        int[] in = new int[extents.length];
        int[] out = new int[extents.length];
        int n = 0;
        for (int i = 0; i < extents.length; i++) {
            if (extents[i] == 1) {
                continue;
            }
            if (n > 0 && in[n - 1] == extents[i] * inSteps[i] && out[n - 1] == extents[i] * outSteps[i]) {
                n--;
                merged[n] *= extents[i];
            } else {
                merged[n] = extents[i];
            }
            in[n] = inSteps[i];
            out[n++] = outSteps[i];
        }
        return new StridedAxes(Arrays.copyOf(merged, n), Arrays.copyOf(in, n), Arrays.copyOf(out, n));
    }

    /** How far an element lies from the first one, by its number along the first {@code axes} axes and those steps. */
    public static int place(int number, int[] extents, int axes, int[] steps) {
        int place = 0;
        int rest = number;
        for (int i = axes - 1; i >= 0; i--) {
            place += rest % extents[i] * steps[i];
            rest /= extents[i];
        }
        return place;
    }
}
