package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;

/** The files of one model in a folder that {@code make_models.py} filled. */
record BenchmarkModel(String name, Path folder) {
    Path file(String suffix) {
        return folder.resolve(name + suffix);
    }

    boolean has(String suffix) {
        return Files.exists(file(suffix));
    }

    boolean isInt8() {
        return name.endsWith("-int8");
    }

    Image input() throws IOException {
        return read("-input.npy");
    }

    /** What PyTorch computed for the input. */
    Image expected() throws IOException {
        return read("-output.npy");
    }

    private Image read(String suffix) throws IOException {
        Tensor tensor = Npy.read(file(suffix));
        long[] shape = new long[tensor.rank()];
        for (int i = 0; i < shape.length; i++) {
            shape[i] = tensor.size(i);
        }
        return new Image(shape, tensor.storage().floatArray());
    }

    /**
     * Float values in row-major order.
     *
     * @param shape N, C, H, W where there are four dimensions
     */
    record Image(long[] shape, float[] values) {

        /** In the order N, H, W, C; values of other ranks as they are. */
        float[] channelsLast() {
            return shape.length == 4 ? exchange(values, (int) shape[1], (int) (shape[2] * shape[3])) : values;
        }

        /** The inverse of {@link #channelsLast} for values of this shape. */
        float[] channelsFirst(float[] nhwc) {
            return shape.length == 4 ? exchange(nhwc, (int) (shape[2] * shape[3]), (int) shape[1]) : nhwc;
        }

        /** Largest difference, as a fraction of the largest of these values; infinite where the counts differ. */
        double worstDifference(float[] others) {
            if (others.length != values.length) {
                return Double.POSITIVE_INFINITY;
            }
            double span = 0;
            double worst = 0;
            for (int i = 0; i < values.length; i++) {
                span = Math.max(span, Math.abs(values[i]));
                double difference = Math.abs(values[i] - others[i]);
                worst = Double.isNaN(difference) ? Double.POSITIVE_INFINITY : Math.max(worst, difference);
            }
            return worst / span;
        }

        /** From [images][rows][columns] to [images][columns][rows]. */
        private static float[] exchange(float[] in, int rows, int columns) {
            float[] out = new float[in.length];
            for (int i = 0; i < in.length; i++) {
                int image = i / (rows * columns);
                int row = i / columns % rows;
                out[(image * columns + i % columns) * rows + row] = in[i];
            }
            return out;
        }
    }
}
