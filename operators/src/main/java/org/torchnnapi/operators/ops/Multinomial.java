package org.torchnnapi.operators.ops;

import java.util.Arrays;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.RandomGenerator;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Categories drawn by their weights, as PyTorch draws them (native/Distributions.cpp and cpu/MultinomialKernel.cpp).
 */
final class Multinomial {
    private Multinomial() {}

    /** @param weights of the categories, {@code [categories]} or {@code [distributions, categories]} */
    static Tensor draw(Tensor weights, long samples, boolean replacement) {
        if (weights.rank() < 1 || weights.rank() > 2) {
            throw new IllegalArgumentException("prob_dist must be 1 or 2 dim");
        }
        if (!weights.dtype().isFloating() || weights.dtype() == DType.FLOAT16) {
            throw new IllegalArgumentException("multinomial only supports floating-point dtypes for input, got: "
                    + weights.dtype().torchName());
        }
        int categories = weights.size(-1);
        if (samples <= 0 || samples > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("cannot sample n_sample <= 0 samples");
        }
        if (!replacement && samples > categories) {
            throw new IllegalArgumentException(
                    "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
        }
        int count = (int) samples;
        int distributions = weights.rank() == 1 ? 1 : weights.size(0);
        double[] all = Elements.doubles(weights);
        boolean wide = weights.dtype() == DType.FLOAT64;
        for (int d = 0; d < distributions; d++) {
            check(all, d * categories, categories);
        }
        long[] drawn = new long[Tensors.count(distributions, count)];
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            if (replacement) {
                for (int d = 0; d < distributions; d++) {
                    withReplacement(generator, all, d * categories, categories, wide, drawn, d * count, count);
                }
            } else {
                double[] quotients = new double[all.length];
                for (int i = 0; i < all.length; i++) {
                    double exponential = generator.nextExponential(1);
                    quotients[i] = wide ? all[i] / exponential : (float) all[i] / (float) exponential;
                }
                for (int d = 0; d < distributions; d++) {
                    greatest(quotients, d * categories, categories, drawn, d * count, count);
                }
            }
        }
        return weights.rank() == 1
                ? Elements.ofLongs(DType.INT64, drawn, count)
                : Elements.ofLongs(DType.INT64, drawn, distributions, count);
    }

    private static void check(double[] weights, int from, int categories) {
        double sum = 0;
        for (int i = from; i < from + categories; i++) {
            if (!(weights[i] >= 0) || Double.isInfinite(weights[i])) {
                throw new IllegalArgumentException("probability tensor contains either `inf`, `nan` or element < 0");
            }
            sum += weights[i];
        }
        if (sum <= 0) {
            throw new IllegalArgumentException("invalid multinomial distribution (sum of probabilities <= 0)");
        }
    }

    private static void withReplacement(
            RandomGenerator generator,
            double[] weights,
            int from,
            int categories,
            boolean wide,
            long[] drawn,
            int to,
            int count) {
        double[] upTo = new double[categories];
        double sum = 0;
        for (int c = 0; c < categories; c++) {
            sum = rounded(sum + weights[from + c], wide);
            upTo[c] = sum;
        }
        for (int c = 0; c < categories; c++) {
            upTo[c] = rounded(upTo[c] / sum, wide);
        }
        upTo[categories - 1] = 1;
        for (int i = 0; i < count; i++) {
            double place = generator.nextDouble();
            int low = 0;
            int high = categories;
            while (low < high) {
                int middle = low + (high - low) / 2;
                if (upTo[middle] < place) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            drawn[to + i] = low;
        }
    }

    private static double rounded(double value, boolean wide) {
        return wide ? value : (float) value;
    }

    /** Places of the greatest, in falling order, of equal ones the first. */
    private static void greatest(double[] values, int from, int categories, long[] places, int to, int count) {
        Integer[] order = new Integer[categories];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> Double.compare(values[from + b], values[from + a]));
        for (int i = 0; i < count; i++) {
            places[to + i] = order[i];
        }
    }
}
