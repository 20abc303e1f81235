package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Bilinear resizing of quantized images. As PyTorch's kernels do (native/quantized/cpu: UpSampleBilinear2d.cpp and, for
 * channels-last images, kernels/QuantizedOpKernels.cpp), it weighs the stored integers in float32 and takes the zero
 * point off afterwards; other orders round ties differently. The second kernel is compiled for AVX2, where a product
 * and a sum are one operation with one rounding: which of two products that is differs between whole vectors of
 * channels and those left over, as was found by comparison.
 */
public final class QuantizedBilinear {
    private static final int LANES = 8;

    /** {@code a * (1 - weight) + b * weight}: each product rounded, or one of them not. */
    private enum Mix {
        SEPARATE {
            @Override
            float of(float a, float b, float weight) {
                return (1 - weight) * a + weight * b;
            }
        },
        FIRST_FUSED {
            @Override
            float of(float a, float b, float weight) {
                return fused(1 - weight, a, weight * b);
            }
        },
        SECOND_FUSED {
            @Override
            float of(float a, float b, float weight) {
                return fused(weight, b, (1 - weight) * a);
            }
        };

        abstract float of(float a, float b, float weight);
    }

    /** Two neighbouring positions of the input for each of the output, and how much the second weighs. */
    private record Axis(int[] low, int[] high, float[] weight) {
        static long bytes(int out) {
            return (2L * Integer.BYTES + Float.BYTES) * out;
        }

        static Axis of(int in, int out, boolean alignCorners, Double scale, boolean fused) {
            float step = Resampling.step(in, out, alignCorners, scale);
            Axis axis = new Axis(new int[out], new int[out], new float[out]);
            for (int o = 0; o < out; o++) {
                float middle = o + 0.5f;
                float at = alignCorners
                        ? step * o
                        : Math.max(fused ? fused(step, middle, -0.5f) : step * middle - 0.5f, 0);
                axis.low[o] = Math.min((int) at, in - 1);
                axis.high[o] = Math.min(axis.low[o] + 1, in - 1);
                axis.weight[o] = at - axis.low[o];
            }
            return axis;
        }
    }

    private QuantizedBilinear() {}

    /** {@code a * b + c}, rounded once: the product of two floats is exact as a double. */
    private static float fused(float a, float b, float c) {
        return (float) ((double) a * b + c);
    }

    /**
     * @param t [n, c, h, w], quantized per tensor
     * @param sizes height and width of the result
     * @param scales as given by the caller, entries may be null
     */
    public static Tensor resize(Tensor t, int[] sizes, boolean alignCorners, Double[] scales) {
        boolean fused = t.isContiguous(MemoryFormat.CHANNELS_LAST);
        if (!fused && t.size(2) == sizes[0] && t.size(3) == sizes[1]) {
            return t.copy(MemoryFormat.CONTIGUOUS);
        }
        Tensors.requireRoom(
                "positions and weights of " + sizes[0] + " rows and " + sizes[1] + " columns",
                Axis.bytes(sizes[0]) + Axis.bytes(sizes[1]));
        Axis rows = Axis.of(t.size(2), sizes[0], alignCorners, scales[0], fused);
        Axis columns = Axis.of(t.size(3), sizes[1], alignCorners, scales[1], fused);
        return resize(t, rows, columns, fused, t.dtype() == DType.QINT32 ? 0 : t.size(1) / LANES * LANES);
    }

    /** @param whole how many channels make whole vectors */
    private static Tensor resize(Tensor t, Axis rows, Axis columns, boolean fused, int whole) {
        int height = rows.low.length;
        int width = columns.low.length;
        int zeroPoint = QuantizedMath.perTensor(t).zeroPoint();
        int[] sizes = {t.size(0), t.size(1), height, width};
        Tensor out =
                Tensors.strided(t.dtype(), sizes, Shape.strides(MemoryOrder.suggested(t), sizes), t.quantization());
        Elements.LongReader in = Elements.longReader(t.dtype(), t.storage().array());
        Elements.LongWriter to = Elements.longWriter(t.dtype(), out.storage().array());
        int down = t.strides()[2];
        int right = t.strides()[3];
        for (int plane = 0; plane < sizes[0] * sizes[1]; plane++) {
            int n = plane / sizes[1];
            int c = plane % sizes[1];
            int from = t.offset() + n * t.strides()[0] + c * t.strides()[1];
            Mix mix = !fused ? Mix.SEPARATE : c < whole ? Mix.SECOND_FUSED : Mix.FIRST_FUSED;
            int base = n * out.strides()[0] + c * out.strides()[1];
            for (int y = 0; y < height; y++) {
                int top = from + rows.low[y] * down;
                int bottom = from + rows.high[y] * down;
                float lower = rows.weight[y];
                for (int x = 0; x < width; x++) {
                    int left = columns.low[x] * right;
                    int next = columns.high[x] * right;
                    float far = columns.weight[x];
                    float above = mix.of(in.get(top + left), in.get(top + next), far);
                    float below = mix.of(in.get(bottom + left), in.get(bottom + next), far);
                    float value = mix.of(above, below, lower) - zeroPoint;
                    to.set(
                            base + y * out.strides()[2] + x * out.strides()[3],
                            QuantizedMath.integer(value, 1, zeroPoint, t.dtype()));
                }
            }
        }
        return out;
    }
}
