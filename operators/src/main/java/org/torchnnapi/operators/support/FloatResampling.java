package org.torchnnapi.operators.support;

import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.operators.support.Resampling.Taps;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/**
 * Linear resizing of float32 with PyTorch's roundings. What lies with its rows together is mixed along the last
 * dimension first, {@code a} and {@code b} with weights {@code u} and {@code v} as {@code fma(a, u, b * v)}. Where
 * channels lie together, all neighbours are mixed at once by products of their weights: by a chain of fused additions
 * from the last neighbour to the first in as many channels as fill PyTorch's vectors of eight, and as a sum of doubles
 * in those behind them. (aten/src/ATen/native/cpu/UpSampleKernel.cpp as compiled for AVX2 and NEON.)
 */
final class FloatResampling {
    private static final int VECTOR = 8;

    private FloatResampling() {}

    /** {@code x * y + z}, rounded once except where the sum of doubles lies at a middle of two floats by rounding. */
    private static float fma(float x, float y, float z) {
        return (float) ((double) x * y + z);
    }

    /** @param taps of the dimensions behind the first two, two positions each */
    static Tensor linear(Tensor t, Taps[] taps) {
        int[] sizes = t.sizes().clone();
        for (int i = 0; i < taps.length; i++) {
            sizes[2 + i] = taps[i].indices().length;
        }
        Tensors.count(sizes);
        float[] values = Elements.floats(t);
        if (isTogether(t, taps.length)) {
            return Tensor.of(atOnce(values, t.sizes(), sizes, taps, weight -> weight), sizes);
        }
        int[] now = t.sizes().clone();
        for (int i = taps.length - 1; i >= 0; i--) {
            values = along(values, now, 2 + i, taps[i]);
            now[2 + i] = sizes[2 + i];
        }
        return Tensor.of(values, sizes);
    }

    /** Whether the channels of images of so many dimensions lie together, which are then mixed at once. */
    static boolean isTogether(Tensor t, int dimensions) {
        return dimensions == 2 && t.isContiguous(MemoryFormat.CHANNELS_LAST)
                || dimensions == 3 && t.isContiguous(MemoryFormat.CHANNELS_LAST_3D);
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
                int low = (n * sizes[d] + taps.indices()[o][0]) * inner;
                int high = (n * sizes[d] + taps.indices()[o][1]) * inner;
                float u = (float) taps.weights()[o][0];
                float v = (float) taps.weights()[o][1];
                for (int i = 0; i < inner; i++) {
                    out[to + i] = fma(in[low + i], u, in[high + i] * v);
                }
            }
        }
        return out;
    }

    /** @param rounding of products of weights */
    static float[] atOnce(float[] in, int[] sizes, int[] made, Taps[] taps, DoubleUnaryOperator rounding) {
        int neighbours = 1 << taps.length;
        int inPlane = plane(sizes);
        int outPlane = plane(made);
        float[] out = new float[made[0] * made[1] * outPlane];
        int[] places = new int[neighbours];
        float[] weights = new float[neighbours];
        for (int o = 0; o < outPlane; o++) {
            for (int k = 0; k < neighbours; k++) {
                int rest = o;
                int place = 0;
                int step = 1;
                int[] chosen = new int[taps.length];
                for (int d = taps.length - 1; d >= 0; d--) {
                    int position = rest % made[2 + d];
                    rest /= made[2 + d];
                    int side = k >> taps.length - 1 - d & 1;
                    chosen[d] = position * 2 + side;
                    place += taps[d].indices()[position][side] * step;
                    step *= sizes[2 + d];
                }
                places[k] = place;
                weights[k] = 1;
                for (int d = 0; d < taps.length; d++) {
                    weights[k] = (float) rounding.applyAsDouble(
                            weights[k] * (float) taps[d].weights()[chosen[d] / 2][chosen[d] % 2]);
                }
            }
            for (int image = 0; image < made[0]; image++) {
                for (int c = 0; c < made[1]; c++) {
                    int plane = image * made[1] + c;
                    out[plane * outPlane + o] =
                            mixed(in, plane * inPlane, places, weights, c < made[1] / VECTOR * VECTOR);
                }
            }
        }
        return out;
    }

    private static float mixed(float[] in, int plane, int[] places, float[] weights, boolean fused) {
        int last = places.length - 1;
        if (fused) {
            float sum = fma(in[plane + places[last]], weights[last], in[plane + places[last - 1]] * weights[last - 1]);
            for (int k = last - 2; k >= 0; k--) {
                sum = fma(in[plane + places[k]], weights[k], sum);
            }
            return sum;
        }
        double sum = 0;
        for (int k = 0; k <= last; k++) {
            sum += (double) in[plane + places[k]] * weights[k];
        }
        return (float) sum;
    }

    private static int plane(int[] sizes) {
        int count = 1;
        for (int d = 2; d < sizes.length; d++) {
            count *= sizes[d];
        }
        return count;
    }
}
