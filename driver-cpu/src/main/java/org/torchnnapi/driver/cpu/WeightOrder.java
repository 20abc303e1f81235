package org.torchnnapi.driver.cpu;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.MappedPages;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * From the order of a convolution's weights in a model to that of the kernels, a row at a time, so that it takes no
 * memory but the result's.
 *
 * @param rows of {@code offsets.length} weights
 * @param step from where one row's first weight goes to where the next one's does
 * @param offsets where the weights of a row go, behind its first
 */
record WeightOrder(int rows, int step, int[] offsets) {
    /** Null when the orders are the same. */
    static WeightOrder of(OperationView site, ConvShape shape) {
        boolean depthwise = site.operation().type() == OperationType.DEPTHWISE_CONV_2D;
        int taps = shape.kernelH() * shape.kernelW();
        if (taps == 1 && (depthwise || !shape.transposed())) {
            return null;
        }
        if (depthwise) {
            int[] offsets = new int[shape.outC()];
            for (int d = 0; d < offsets.length; d++) {
                offsets[d] = d * taps;
            }
            return new WeightOrder(taps, 1, offsets);
        }
        int depth = site.in(ProductWeights.WEIGHTS).dimension(3);
        int[] offsets = new int[taps * depth];
        for (int t = 0; t < taps; t++) {
            for (int c = 0; c < depth; c++) {
                offsets[t * depth + c] = (shape.transposed() ? c * shape.outC() : c) * taps + t;
            }
        }
        return new WeightOrder(shape.outC(), shape.transposed() ? taps : depth * taps, offsets);
    }

    int count() {
        return rows * offsets.length;
    }

    /** Halves are widened. */
    float[] floats(Operand constant) {
        if (constant.type() == OperandType.TENSOR_FLOAT16) {
            return floats(FloatBuffer.wrap(OperationView.floats(constant)));
        }
        ByteBuffer stored = constant.value();
        float[] ordered = floats(stored.asFloatBuffer());
        MappedPages.release(stored);
        return ordered;
    }

    float[] floats(FloatBuffer from) {
        float[] row = new float[offsets.length];
        float[] ordered = new float[count()];
        for (int r = 0; r < rows; r++) {
            from.get(row);
            for (int i = 0; i < row.length; i++) {
                ordered[r * step + offsets[i]] = row[i];
            }
        }
        return ordered;
    }

    byte[] bytes(ByteBuffer stored) {
        byte[] row = new byte[offsets.length];
        byte[] ordered = new byte[count()];
        for (int r = 0; r < rows; r++) {
            stored.get(row);
            for (int i = 0; i < row.length; i++) {
                ordered[r * step + offsets[i]] = row[i];
            }
        }
        MappedPages.release(stored);
        return ordered;
    }
}
