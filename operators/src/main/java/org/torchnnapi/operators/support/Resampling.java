package org.torchnnapi.operators.support;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntUnaryOperator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/**
 * Resizing of the trailing dimensions, one after the other: each output position along a dimension is a weighted sum of
 * input positions.
 */
public final class Resampling {
    private Resampling() {}

    /** Weights of one dimension: output {@code o} is the sum over k of {@code weights[o][k] * in[indices[o][k]]}. */
    public record Taps(int[][] indices, double[][] weights) {
        /** Of the two arrays of a position beside their elements: headers and references. */
        private static final int HEADS = 48;

        /** Refuses as many positions of so many taps each as the heap has no room for. */
        private static void requireRoom(int positions, double each) {
            double bytes = positions * (HEADS + each * (Integer.BYTES + Double.BYTES));
            Tensors.requireRoom("positions and weights of " + positions + " results", (long) bytes);
        }
    }

    /** Ways to choose and weight input positions. */
    public enum Kernel {
        NEAREST,
        NEAREST_EXACT,
        LINEAR,
        CUBIC,
        LINEAR_ANTIALIAS,
        CUBIC_ANTIALIAS
    }

    /**
     * Taps for a dimension.
     *
     * @param wide whether weights between neighbours are doubles, as those of float64 are
     * @param scale output size over input size as the caller gave it, or null to take it from the sizes
     */
    private static Taps taps(Kernel kernel, boolean wide, int in, int out, boolean alignCorners, Double scale) {
        float step = step(in, out, alignCorners, scale);
        return switch (kernel) {
            case NEAREST -> nearest(in, out, o -> (int) Math.floor(o * step));
            case NEAREST_EXACT -> nearest(in, out, o -> (int) Math.floor((o + 0.5f) * step));
            case LINEAR -> linear(in, out, wide ? wideStep(in, out, alignCorners, scale) : step, wide, alignCorners);
            case CUBIC -> cubic(in, out, wide ? wideStep(in, out, alignCorners, scale) : step, wide, alignCorners);
            case LINEAR_ANTIALIAS -> antialiased(in, out, step, 1, x -> Math.max(0, 1 - Math.abs(x)));
            case CUBIC_ANTIALIAS -> antialiased(in, out, step, 2, x -> cubicWeight(Math.abs(x), -0.5));
        };
    }

    /** The most input positions that one of the output is made of. */
    private static double most(Kernel kernel, int in, int out, boolean alignCorners, Double scale) {
        return switch (kernel) {
            case NEAREST, NEAREST_EXACT -> 1;
            case LINEAR -> 2;
            case CUBIC -> 4;
            case LINEAR_ANTIALIAS, CUBIC_ANTIALIAS ->
                Math.min(
                        in,
                        2
                                        * Math.max(1, step(in, out, alignCorners, scale))
                                        * (kernel == Kernel.LINEAR_ANTIALIAS ? 1 : 2)
                                + 1);
        };
    }

    /** How many input positions one of the output stands for. */
    static float step(int in, int out, boolean alignCorners, Double scale) {
        return alignCorners
                ? out > 1 ? (in - 1f) / (out - 1) : 0
                : scale != null && scale > 0 ? (float) (1 / scale) : (float) in / out;
    }

    /** The same of float64. */
    private static double wideStep(int in, int out, boolean alignCorners, Double scale) {
        return alignCorners
                ? out > 1 ? (in - 1.0) / (out - 1) : 0
                : scale != null && scale > 0 ? 1 / scale : (double) in / out;
    }

    private static Taps nearest(int in, int out, IntUnaryOperator source) {
        int[][] indices = new int[out][];
        double[][] weights = new double[out][];
        for (int o = 0; o < out; o++) {
            indices[o] = new int[] {Math.min(source.applyAsInt(o), in - 1)};
            weights[o] = new double[] {1};
        }
        return new Taps(indices, weights);
    }

    /**
     * The step is a float unless all is wide, a position a double, and its part after the point as the step, as PyTorch
     * has it (UpSample.h).
     */
    private static Taps linear(int in, int out, double step, boolean wide, boolean alignCorners) {
        int[][] indices = new int[out][];
        double[][] weights = new double[out][];
        for (int o = 0; o < out; o++) {
            double at = in == out ? o : alignCorners ? step * o : Math.max(step * (o + 0.5) - 0.5, 0);
            int low = Math.min((int) at, in - 1);
            double exact = Math.min(Math.max(at - low, 0), 1);
            float part = (float) exact;
            indices[o] = new int[] {low, Math.min(low + 1, in - 1)};
            weights[o] = wide ? new double[] {1 - exact, exact} : new double[] {1 - part, part};
        }
        return new Taps(indices, weights);
    }

    private static Taps cubic(int in, int out, double step, boolean wide, boolean alignCorners) {
        int[][] indices = new int[out][4];
        double[][] weights = new double[out][4];
        for (int o = 0; o < out; o++) {
            float single = (float) step;
            double at = wide
                    ? alignCorners ? step * o : step * (o + 0.5) - 0.5
                    : alignCorners ? single * o : single * (o + 0.5f) - 0.5f;
            int base = (int) Math.floor(at);
            double part = at - base;
            for (int k = 0; k < 4; k++) {
                indices[o][k] = Math.max(0, Math.min(base - 1 + k, in - 1));
                weights[o][k] = cubicWeight(Math.abs(part + 1 - k), -0.75);
            }
        }
        return new Taps(indices, weights);
    }

    /** Keys' cubic convolution kernel (1981) with parameter a. */
    public static double cubicWeight(double x, double a) {
        if (x < 1) {
            return ((a + 2) * x - (a + 3)) * x * x + 1;
        }
        return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
    }

    /** Pillow's rule: the kernel widens with the step when shrinking, and weights are normalized. */
    private static Taps antialiased(int in, int out, float step, int radius, DoubleUnaryOperator kernel) {
        int[][] indices = new int[out][];
        double[][] weights = new double[out][];
        double support = step >= 1 ? radius * step : radius;
        double inverse = step >= 1 ? 1.0 / step : 1;
        for (int o = 0; o < out; o++) {
            double center = step * (o + 0.5);
            int from = Math.max((int) (center - support + 0.5), 0);
            int to = Math.min((int) (center + support + 0.5), in);
            int n = Math.max(to - from, 1);
            indices[o] = new int[n];
            weights[o] = new double[n];
            double sum = 0;
            for (int k = 0; k < n; k++) {
                indices[o][k] = Math.min(from + k, in - 1);
                weights[o][k] = kernel.applyAsDouble((from + k - center + 0.5) * inverse);
                sum += weights[o][k];
            }
            for (int k = 0; k < n && sum != 0; k++) {
                weights[o][k] /= sum;
            }
        }
        return new Taps(indices, weights);
    }

    /**
     * Resizes the last dimensions.
     *
     * @param sizes of the result, one per resized dimension
     * @param scales as given by the caller, entries may be null
     */
    public static Tensor resize(Tensor t, Kernel kernel, int[] sizes, boolean alignCorners, Double[] scales) {
        int lead = t.rank() - sizes.length;
        if (lead != 2 || t.numel() == 0 && t.sizes()[0] != 0) {
            throw new IllegalArgumentException("Non-empty " + (sizes.length + 2)
                    + "D data tensor expected but got a tensor with sizes " + Arrays.toString(t.sizes()));
        }
        int[] made = t.sizes().clone();
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] <= 0) {
                throw new IllegalArgumentException(
                        "Input and output sizes should be greater than 0, but got input size " + made[lead + i]
                                + " and output size " + sizes[i]);
            }
            Taps.requireRoom(sizes[i], most(kernel, made[lead + i], sizes[i], alignCorners, scales[i]));
            made[lead + i] = sizes[i];
        }
        Tensors.count(made);
        Taps[] taps = new Taps[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            int in = t.sizes()[lead + i];
            taps[i] = taps(kernel, t.dtype() == DType.FLOAT64, in, sizes[i], alignCorners, scales[i]);
        }
        boolean bfloats = t.dtype() == DType.BFLOAT16 && (kernel == Kernel.LINEAR || kernel == Kernel.CUBIC);
        Tensor out = bfloats
                ? BfloatResampling.resize(t, kernel, sizes, alignCorners, scales)
                : kernel == Kernel.LINEAR && t.dtype() == DType.FLOAT32
                        ? FloatResampling.linear(t, taps)
                        : separately(t, sizes, taps);
        MemoryFormat format = MemoryOrder.suggested(t);
        return format == MemoryFormat.CONTIGUOUS ? out : out.contiguous(format);
    }

    private static Tensor separately(Tensor t, int[] sizes, Taps[] taps) {
        int[] now = t.sizes().clone();
        double[] values = Elements.doubles(t);
        int lead = now.length - sizes.length;
        for (int i = 0; i < sizes.length; i++) {
            values = along(values, now, lead + i, taps[i]);
            now[lead + i] = sizes[i];
        }
        return Elements.ofDoubles(t.dtype(), values, now);
    }

    private static double[] along(double[] in, int[] sizes, int d, Taps taps) {
        int inner = 1;
        for (int i = d + 1; i < sizes.length; i++) {
            inner *= sizes[i];
        }
        int outer = in.length / Math.max(1, inner * sizes[d]);
        int count = taps.indices.length;
        double[] out = new double[Tensors.count(outer, count, inner)];
        for (int n = 0; n < outer; n++) {
            for (int o = 0; o < count; o++) {
                int to = (n * count + o) * inner;
                for (int k = 0; k < taps.indices[o].length; k++) {
                    int from = (n * sizes[d] + taps.indices[o][k]) * inner;
                    double weight = taps.weights[o][k];
                    for (int i = 0; i < inner; i++) {
                        out[to + i] += weight * in[from + i];
                    }
                }
            }
        }
        return out;
    }
}
