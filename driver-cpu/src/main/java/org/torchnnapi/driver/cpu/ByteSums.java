package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.kernels.QuantizedWeights;

/** Exact sums of rows of bytes, less a zero point, times constant signed bytes. */
final class ByteSums {
    /** Products that sum up to less than 2^24, so that floats hold the sum: 512 * 255 * 128. */
    private static final int EXACT = 512;

    private static final float[] AS_IT_IS = {1};
    private static final int SIGN = 0x80;

    private final int inputs;
    private final int outputs;
    /** Of so many columns each. */
    private final DynamicProduct[] parts;

    /** @param weights {@code [outputs][inputs]} */
    ByteSums(int inputs, int outputs, byte[] weights) {
        this.inputs = inputs;
        this.outputs = outputs;
        parts = new DynamicProduct[(inputs + EXACT - 1) / EXACT];
        for (int p = 0; p < parts.length; p++) {
            int first = p * EXACT;
            int count = Math.min(EXACT, inputs - first);
            byte[] part = new byte[outputs * count];
            for (int row = 0; row < outputs; row++) {
                System.arraycopy(weights, row * inputs + first, part, row * count, count);
            }
            parts[p] = DynamicProduct.plan(
                    count, outputs, new QuantizedWeights(part, true, new int[1]), AS_IT_IS, null, false);
        }
    }

    int outputs() {
        return outputs;
    }

    /**
     * The sums of all rows.
     *
     * @param in {@code [rows][inputs]}
     * @param signed whether bytes are -128 to 127 (otherwise 0 to 255)
     * @param sums {@code [rows][outputs]}, replaced
     */
    void run(byte[] in, int at, int rows, boolean signed, int zeroPoint, long[] sums) {
        Arrays.fill(sums, 0, rows * outputs, 0);
        float[] products = new float[rows * outputs];
        int flip = signed ? SIGN : 0;
        DynamicQuantization quantization = new DynamicQuantization(1, signed ? zeroPoint + SIGN : zeroPoint);
        for (int p = 0; p < parts.length; p++) {
            DynamicProduct part = parts[p];
            int width = DynamicProduct.rowBytes(part.inputs());
            byte[] unsigned = new byte[rows * width];
            for (int row = 0; row < rows; row++) {
                for (int i = 0; i < part.inputs(); i++) {
                    unsigned[row * width + i] = (byte) (in[at + row * inputs + p * EXACT + i] ^ flip);
                }
            }
            part.run(unsigned, 0, rows, quantization, products, 0, 0, part.units());
            for (int i = 0; i < products.length; i++) {
                sums[i] += (long) products[i];
            }
        }
    }
}
