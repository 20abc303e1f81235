package org.torchnnapi.cli;

import java.util.stream.IntStream;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/** Scores of classes, one row a picture. */
final class ClassScores {
    private final Tensor scores;

    /** @throws CommandFailure unless it is a tensor {@code [classes]} or {@code [pictures, classes]} */
    ClassScores(Tensor scores) {
        this.scores = scores;
        if (scores.rank() < 1 || scores.rank() > 2 || scores.numel() == 0) {
            throw new CommandFailure("output: " + scores + " (expected: scores of classes, such as [1, 1000])");
        }
    }

    int pictures() {
        return scores.rank() == 1 ? 1 : scores.size(0);
    }

    int classes() {
        return scores.size(-1);
    }

    /** Numbers of the classes with the highest scores, the first of equal ones first. */
    int[] best(int picture, int count) {
        int first = picture * classes();
        return IntStream.range(0, classes())
                .boxed()
                .sorted((a, b) -> Double.compare(scores.getDouble(first + b), scores.getDouble(first + a)))
                .limit(count)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** A score; of a quantized tensor the number that it stands for. */
    double of(int picture, int number) {
        double value = scores.getDouble(picture * classes() + number);
        return scores.quantization() instanceof Quantization.PerTensor q ? (value - q.zeroPoint()) * q.scale() : value;
    }
}
