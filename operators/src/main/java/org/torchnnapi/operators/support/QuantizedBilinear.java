package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Bilinear resizing of quantized images. As PyTorch's kernel does (native/quantized/cpu/UpSampleBilinear2d.cpp), it weighs the
 * stored integers in float32 and takes the zero point off afterwards; other orders round ties differently.
 */
public final class QuantizedBilinear {
    private QuantizedBilinear() {
    }

    /**
     * @param t       [n, c, h, w], quantized per tensor
     * @param rows    taps of the height
     * @param columns taps of the width
     */
    public static Tensor resize(Tensor t, Resampling.Taps rows, Resampling.Taps columns) {
        int height = rows.indices().length;
        int width = columns.indices().length;
        int zeroPoint = Quantized.perTensor(t).zeroPoint();
        int[] sizes = {t.size(0), t.size(1), height, width};
        Tensor out = Tensors.strided(t.dtype(), sizes, Shape.strides(Layout.suggested(t), sizes), t.quantization());
        Elements.LongReader in = Elements.longReader(t.dtype(), t.storage().array());
        Elements.LongWriter to = Elements.longWriter(t.dtype(), out.storage().array());
        int down = t.strides()[2];
        int right = t.strides()[3];
        for (int plane = 0; plane < sizes[0] * sizes[1]; plane++) {
            int n = plane / sizes[1];
            int c = plane % sizes[1];
            int from = t.offset() + n * t.strides()[0] + c * t.strides()[1];
            int base = n * out.strides()[0] + c * out.strides()[1];
            for (int y = 0; y < height; y++) {
                int top = from + rows.indices()[y][0] * down;
                int bottom = from + rows.indices()[y][1] * down;
                float upper = (float) rows.weights()[y][0];
                float lower = (float) rows.weights()[y][1];
                for (int x = 0; x < width; x++) {
                    int left = columns.indices()[x][0] * right;
                    int next = columns.indices()[x][1] * right;
                    float near = (float) columns.weights()[x][0];
                    float far = (float) columns.weights()[x][1];
                    float value = upper * (near * in.get(top + left) + far * in.get(top + next))
                        + lower * (near * in.get(bottom + left) + far * in.get(bottom + next)) - zeroPoint;
                    to.set(base + y * out.strides()[2] + x * out.strides()[3], Quantized.integer(value, 1, zeroPoint, t.dtype()));
                }
            }
        }
        return out;
    }
}
