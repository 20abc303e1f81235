package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Maximum pooling over windows whose places a random number for each plane and dimension shifts (Graham, Fractional
 * Max-Pooling, 2014).
 */
public final class FractionalPooling implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        for (int rank : new int[] {2, 3}) {
            r.op(
                    "aten::fractional_max_pool" + rank + "d(Tensor self, int[" + rank + "] kernel_size, int[" + rank
                            + "] output_size, Tensor random_samples) " + "-> (Tensor, Tensor)",
                    a -> pool(tensor(a, 0), ints(a, 1, rank), ints(a, 2, rank), tensor(a, 3), rank));
        }
    }

    private static Object[] pool(Tensor t, int[] kernel, int[] output, Tensor samples, int rank) {
        int lead = t.rank() - rank;
        if (lead != 1 && lead != 2) {
            throw new IllegalArgumentException("fractional_max_pool" + rank + "d: Expected " + (rank + 1) + "D or "
                    + (rank + 2) + "D tensor, but got " + Arrays.toString(t.sizes()));
        }
        int[] input = Arrays.copyOfRange(t.sizes(), lead, t.rank());
        for (int d = 0; d < rank; d++) {
            if (output[d] + kernel[d] - 1 > input[d] || output[d] < 1 || kernel[d] < 1) {
                throw new IllegalArgumentException("fractional_max_pool" + rank + "d(): pool size " + kernel[d]
                        + " too large relative to input size " + input[d]);
            }
        }
        int planes = (int) Shape.numel(Arrays.copyOf(t.sizes(), lead));
        if (samples.numel() < (long) planes * rank) {
            throw new IllegalArgumentException(
                    "fractional_max_pool" + rank + "d(): random samples " + Arrays.toString(samples.sizes())
                            + " (expected: one for each of " + planes + " planes and " + rank + " dimensions)");
        }
        double[] x = Elements.doubles(t);
        double[] shifts = Elements.doubles(samples);
        int plane = (int) Shape.numel(input);
        int cells = (int) Shape.numel(output);
        double[] values = new double[planes * cells];
        long[] indices = new long[values.length];
        for (int p = 0; p < planes; p++) {
            int[][] starts = new int[rank][];
            for (int d = 0; d < rank; d++) {
                // The first number is for the last dimension of two, but for the first of three, as in PyTorch.
                int own = rank == 2 ? rank - 1 - d : d;
                starts[d] = starts(shifts[p * rank + own], input[d], output[d], kernel[d], t.dtype() == DType.FLOAT64);
            }
            for (int cell = 0; cell < cells; cell++) {
                int at = p * cells + cell;
                indices[at] = largest(x, p * plane, input, kernel, starts, output, cell);
                values[at] = x[p * plane + (int) indices[at]];
            }
        }
        int[] sizes = Arrays.copyOf(t.sizes(), t.rank());
        System.arraycopy(output, 0, sizes, lead, rank);
        return new Object[] {Elements.ofDoubles(t.dtype(), values, sizes), Elements.ofLongs(DType.INT64, indices, sizes)
        };
    }

    private static int[] starts(double sample, int input, int output, int kernel, boolean wide) {
        int[] starts = new int[output];
        double step = output == 1
                ? 0
                : wide ? (double) (input - kernel) / (output - 1) : (float) (input - kernel) / (float) (output - 1);
        for (int i = 0; i < output - 1; i++) {
            starts[i] = wide
                    ? (int) ((i + sample) * step) - (int) (sample * step)
                    : (int) ((i + (float) sample) * (float) step) - (int) ((float) sample * (float) step);
        }
        starts[output - 1] = input - kernel;
        return starts;
    }

    /** The place in the plane of a window's largest element, the first of equals; a NaN is larger than all. */
    private static int largest(
            double[] x, int offset, int[] input, int[] kernel, int[][] starts, int[] output, int cell) {
        int rank = input.length;
        int[] start = new int[rank];
        for (int d = rank - 1, rest = cell; d >= 0; d--) {
            start[d] = starts[d][rest % output[d]];
            rest /= output[d];
        }
        int best = -1;
        for (int k = 0; k < Shape.numel(kernel); k++) {
            int place = 0;
            int rest = k;
            int stride = 1;
            for (int d = rank - 1; d >= 0; d--) {
                place += (start[d] + rest % kernel[d]) * stride;
                rest /= kernel[d];
                stride *= input[d];
            }
            double value = x[offset + place];
            if (best < 0 || value > x[offset + best] || Double.isNaN(value)) {
                best = place;
            }
        }
        return best;
    }
}
