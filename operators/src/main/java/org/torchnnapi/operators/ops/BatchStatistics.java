package org.torchnnapi.operators.ops;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Stream;
import org.torchnnapi.operators.support.ElementRounding;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * What a batch gives for each of its channels (dimension 1): their means and {@code 1 / sqrt(biased variance + eps)},
 * of the input's type. Beside parameters or running statistics of float32 those of bfloat16 inputs are float32; else
 * PyTorch rounds the sum of squares, and each step from it on, to bfloat16.
 */
record BatchStatistics(Tensor mean, Tensor inverse) {
    /**
     * Moves running statistics, either of which may be null, {@code momentum} of the way towards the batch's mean and
     * unbiased variance.
     */
    static BatchStatistics of(
            Tensor x,
            Tensor weight,
            Tensor bias,
            Tensor runningMean,
            Tensor runningVariance,
            double momentum,
            double eps) {
        long[] dims = allButChannels(x);
        boolean besideFloats = Stream.of(weight, bias, runningMean, runningVariance)
                .filter(Objects::nonNull)
                .anyMatch(t -> t.dtype() == DType.FLOAT32);
        Tensor values = x.dtype() == DType.BFLOAT16 && besideFloats ? Elements.cast(x, DType.FLOAT32) : x;
        Tensor mean = ReduceOps.mean(values, dims, false, null);
        if (runningMean != null) {
            move(runningMean, mean, momentum, DType.BFLOAT16);
        }
        if (runningVariance != null) {
            move(runningVariance, variance(values, dims, 1), momentum, DType.FLOAT32);
        }
        return new BatchStatistics(mean, Pointwise.unary(variance(values, dims, 0), v -> 1 / Math.sqrt(v + eps)));
    }

    private static long[] allButChannels(Tensor x) {
        if (x.rank() < 2) {
            throw new IllegalArgumentException("input: " + x + " (expected: at least two dimensions)");
        }
        long[] dims = new long[x.rank() - 1];
        Arrays.setAll(dims, i -> i == 0 ? 0 : i + 1);
        return dims;
    }

    /**
     * Of bfloat16 elements, their sum of squares and how many they are, each rounded, and what one by the other gives.
     */
    private static Tensor variance(Tensor x, long[] dims, int correction) {
        if (x.dtype() != DType.BFLOAT16) {
            return Moments.spread(x, dims, correction, false, false);
        }
        long count = x.numel() / Math.max(1, x.sizes()[1]);
        Tensor squares = Pointwise.unary(
                Moments.spread(Elements.cast(x, DType.FLOAT64), dims, 0, false, false), DType.BFLOAT16, v -> v * count);
        double by = ElementRounding.to(DType.BFLOAT16, count - correction);
        return Pointwise.unary(squares, v -> v / by);
    }

    /** @param part the type that PyTorch holds the batch's part in, where running statistics are bfloat16 */
    private static void move(Tensor running, Tensor batch, double momentum, DType part) {
        DoubleBinaryOperator moved = (r, b) -> (1 - momentum) * r + momentum * b;
        if (running.dtype() == DType.BFLOAT16) {
            double by = round(momentum);
            double kept = round(1 - by);
            moved = (r, b) -> ElementRounding.to(part, by * b) + round(kept * r);
        }
        Tensors.copyInto(running, Pointwise.binary(running, batch, running.dtype(), moved, null));
    }

    private static double round(double value) {
        return ElementRounding.to(DType.BFLOAT16, value);
    }
}
