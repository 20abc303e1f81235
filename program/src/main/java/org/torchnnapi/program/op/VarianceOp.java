package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The sum of squared distances from the mean over adjacent axes, divided by the number of elements less a correction,
 * or the square root of that. All in double, rounded once at the end, as PyTorch does.
 *
 * @param axes negative ones count from the back
 * @param correction less than there are elements
 * @param root whether the result is the standard deviation
 * @param keep whether the axes stay, with one element each
 */
public record VarianceOp(int[] axes, double correction, boolean root, boolean keep) implements Op {
    /** Runs beside each other that are done together, row by row. */
    private static final int TOGETHER = 64;

    @Override
    public ValueType result(List<ValueType> inputs) {
        return ReducedAxes.result(Require.floats("input", Require.only(inputs)), axes, keep);
    }

    @Override
    public Step compile(Operands operands) {
        ReducedAxes extents = ReducedAxes.of(operands.in(0).type(), axes);
        double divisor = extents.reduced() - correction;
        if (extents.inner() == 1) {
            return OneInput.floats(operands, extents.outer(), (in, from, out, to, begin, end) -> {
                for (int run = begin; run < end; run++) {
                    out[to + run] = result(squares(in, from + extents.first(run), extents.reduced()), divisor);
                }
            });
        }
        return OneInput.floats(operands, extents.runs(), (in, from, out, to, begin, end) -> {
            double[] means = new double[TOGETHER];
            double[] squares = new double[TOGETHER];
            int count;
            for (int run = begin; run < end; run += count) {
                count = Math.min(Math.min(TOGETHER, end - run), extents.inner() - run % extents.inner());
                columns(in, from + extents.first(run), extents, count, means, squares);
                for (int i = 0; i < count; i++) {
                    out[to + run + i] = result(squares[i], divisor);
                }
            }
        });
    }

    private float result(double squares, double divisor) {
        double variance = squares / divisor;
        return (float) (root ? Math.sqrt(variance) : variance);
    }

    /** In two sums each, so that not all wait for the one before. */
    private static double squares(float[] in, int from, int size) {
        double even = 0;
        double odd = 0;
        for (int i = 1; i < size; i += 2) {
            even += in[from + i - 1];
            odd += in[from + i];
        }
        double mean = (even + odd + (size % 2 == 0 ? 0 : in[from + size - 1])) / size;
        double last = size % 2 == 0 ? 0 : in[from + size - 1] - mean;
        even = last * last;
        odd = 0;
        for (int i = 1; i < size; i += 2) {
            double first = in[from + i - 1] - mean;
            double second = in[from + i] - mean;
            even += first * first;
            odd += second * second;
        }
        return even + odd;
    }

    private static void columns(
            float[] in, int from, ReducedAxes extents, int count, double[] means, double[] squares) {
        Arrays.fill(means, 0);
        Arrays.fill(squares, 0);
        for (int row = 0; row < extents.reduced(); row++) {
            for (int i = 0; i < count; i++) {
                means[i] += in[from + row * extents.inner() + i];
            }
        }
        for (int i = 0; i < count; i++) {
            means[i] /= extents.reduced();
        }
        for (int row = 0; row < extents.reduced(); row++) {
            for (int i = 0; i < count; i++) {
                double distance = in[from + row * extents.inner() + i] - means[i];
                squares[i] += distance * distance;
            }
        }
    }

    @Override
    public String label() {
        return (root ? "standard deviation" : "variance") + " over " + Arrays.toString(axes);
    }
}
