package org.torchnnapi.api;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

/**
 * A model's answer as scores of classes, one row a picture. Immutable; reads the tensor, which must not be written to.
 */
public final class ClassScores {
    private final Tensor scores;
    private final List<String> labels;

    /** @throws IllegalArgumentException unless it is a tensor {@code [classes]} or {@code [pictures, classes]} */
    public ClassScores(Tensor scores) {
        this(scores, List.of());
        if (scores.rank() < 1 || scores.rank() > 2 || scores.numel() == 0) {
            throw new IllegalArgumentException(
                    "output: " + scores + " (expected: scores of classes, such as [1, 1000])");
        }
    }

    private ClassScores(Tensor scores, List<String> labels) {
        this.scores = scores;
        this.labels = List.copyOf(labels);
    }

    /** @param names of the classes by their numbers; there may be fewer, or more, than classes */
    public ClassScores withLabels(List<String> names) {
        return new ClassScores(scores, names);
    }

    public int pictures() {
        return scores.rank() == 1 ? 1 : scores.size(0);
    }

    public int classes() {
        return scores.size(-1);
    }

    /**
     * The classes with the highest scores, highest first, and the first of equal ones first; not a number is below all.
     *
     * @param picture its row
     * @param most so many, or all where there are fewer
     * @throws IllegalArgumentException if there is no such row, or none is asked for
     */
    public List<ScoredClass> top(int picture, int most) {
        if (picture < 0 || picture >= pictures()) {
            throw new IllegalArgumentException("picture: " + picture + " (expected: 0 to " + (pictures() - 1) + ")");
        }
        if (most < 1) {
            throw new IllegalArgumentException("most: " + most + " (expected: >= 1)");
        }
        List<ScoredClass> all = new ArrayList<>();
        for (int number = 0; number < classes(); number++) {
            String label = number < labels.size() ? labels.get(number) : "";
            all.add(new ScoredClass(number, label, of(picture, number)));
        }
        all.sort((a, b) -> Double.compare(rank(b.score()), rank(a.score())));
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }

    private static double rank(double score) {
        return Double.isNaN(score) ? Double.NEGATIVE_INFINITY : score;
    }

    private double of(int picture, int number) {
        double value = scores.getDouble((long) picture * classes() + number);
        return scores.quantization() instanceof Quantization.PerTensor q ? (value - q.zeroPoint()) * q.scale() : value;
    }
}
