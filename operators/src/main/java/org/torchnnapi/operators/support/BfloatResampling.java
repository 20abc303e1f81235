package org.torchnnapi.operators.support;

import org.torchnnapi.operators.support.Resampling.Kernel;
import org.torchnnapi.operators.support.Resampling.Taps;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Linear and cubic resizing of bfloat16, with PyTorch's roundings: the step between positions and all weights are
 * bfloat16, a position is a float32. Along each dimension, the last one first, every product and every sum is rounded
 * to bfloat16. Where channels lie together, linear resizing only rounds the products of weights so, and the sum over
 * all neighbours once. (aten/src/ATen/native/cpu/UpSampleKernel.cpp and UpSample.h.)
 */
final class BfloatResampling {
    private static final float SHARPNESS = -0.75f;

    private BfloatResampling() {}

    private static float round(double value) {
        return (float) ElementRounding.to(DType.BFLOAT16, value);
    }

    static Tensor resize(Tensor t, Kernel kernel, int[] sizes, boolean alignCorners, Double[] scales) {
        Taps[] taps = new Taps[sizes.length];
        int[] made = t.sizes().clone();
        for (int i = 0; i < sizes.length; i++) {
            int in = t.sizes()[2 + i];
            float step = step(in, sizes[i], alignCorners, scales[i]);
            taps[i] = kernel == Kernel.LINEAR
                    ? linear(in, sizes[i], step, alignCorners)
                    : cubic(in, sizes[i], step, alignCorners);
            made[2 + i] = sizes[i];
        }
        Tensors.count(made);
        float[] values = Elements.floats(t);
        if (kernel == Kernel.LINEAR && FloatResampling.isTogether(t, taps.length)) {
            values = FloatResampling.atOnce(values, t.sizes(), made, taps, BfloatResampling::round);
        } else {
            int[] now = t.sizes().clone();
            for (int i = taps.length - 1; i >= 0; i--) {
                values = along(values, now, 2 + i, taps[i]);
                now[2 + i] = sizes[i];
            }
        }
        return Elements.cast(Tensor.of(values, made), DType.BFLOAT16);
    }

    private static float step(int in, int out, boolean alignCorners, Double scale) {
        if (alignCorners) {
            return out > 1 ? round(round(in - 1) / round(out - 1)) : 0;
        }
        return scale != null && scale > 0 ? round(1 / scale) : round(round(in) / round(out));
    }

    private static float position(float step, int at, boolean alignCorners) {
        return alignCorners ? step * at : step * (at + 0.5f) - 0.5f;
    }

    private static Taps linear(int in, int out, float step, boolean alignCorners) {
        int[][] indices = new int[out][];
        double[][] weights = new double[out][];
        for (int o = 0; o < out; o++) {
            float at = in == out ? o : Math.max(position(step, o, alignCorners), 0);
            int low = Math.min((int) at, in - 1);
            float part = round(at - low);
            indices[o] = new int[] {low, Math.min(low + 1, in - 1)};
            weights[o] = new double[] {round(1 - part), part};
        }
        return new Taps(indices, weights);
    }

    private static Taps cubic(int in, int out, float step, boolean alignCorners) {
        int[][] indices = new int[out][4];
        double[][] weights = new double[out][];
        for (int o = 0; o < out; o++) {
            float at = position(step, o, alignCorners);
            int base = (int) Math.floor(at);
            float part = round(at - base);
            float rest = round(1 - part);
            weights[o] = new double[] {outer(round(part + 1)), inner(part), inner(rest), outer(round(rest + 1))};
            for (int k = 0; k < 4; k++) {
                indices[o][k] = Math.max(0, Math.min(base - 1 + k, in - 1));
            }
        }
        return new Taps(indices, weights);
    }

    /** Keys' kernel at distances up to 1, each step rounded. */
    private static float inner(float x) {
        float sum = round(round((SHARPNESS + 2) * x) - (SHARPNESS + 3));
        return round(round(round(sum * x) * x) + 1);
    }

    /** The same at distances from 1 to 2. */
    private static float outer(float x) {
        float sum = round(round(round(SHARPNESS * x) - 5 * SHARPNESS) * x);
        return round(round(round(sum + 8 * SHARPNESS) * x) - 4 * SHARPNESS);
    }

    private static float[] along(float[] in, int[] sizes, int d, Taps taps) {
        int inner = 1;
        for (int i = d + 1; i < sizes.length; i++) {
            inner *= sizes[i];
        }
        int outer = sizes[d] * inner == 0 ? 0 : in.length / (sizes[d] * inner);
        int count = taps.indices().length;
        float[] out = new float[Tensors.count(outer, count, inner)];
        for (int n = 0; n < outer; n++) {
            for (int o = 0; o < count; o++) {
                int to = (n * count + o) * inner;
                for (int k = 0; k < taps.indices()[o].length; k++) {
                    int from = (n * sizes[d] + taps.indices()[o][k]) * inner;
                    float weight = (float) taps.weights()[o][k];
                    for (int i = 0; i < inner; i++) {
                        float product = round(in[from + i] * weight);
                        out[to + i] = k == 0 ? product : round(out[to + i] + product);
                    }
                }
            }
        }
        return out;
    }
}
