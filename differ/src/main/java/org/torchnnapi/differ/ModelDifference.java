package org.torchnnapi.differ;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.support.Structures;

/**
 * Two recordings of one model on the same inputs.
 *
 * @param layers those that both have, in order
 * @param results what {@code forward} returned, a difference for each tensor
 * @param firstSteps how many layers the first model has
 * @param secondSteps how many the second has
 */
public record ModelDifference(
        List<LayerDifference> layers, List<LayerDifference> results, int firstSteps, int secondSteps) {
    /**
     * A smaller share of the layers of the smaller model than this is chance, where none of them gave the same, nor the
     * models.
     */
    private static final double RELATED = 0.5;

    /** @throws IllegalArgumentException if the models have too little in common to be one model */
    public static ModelDifference of(RecordedRun first, RecordedRun second) {
        List<Tensor> a = Structures.tensors(Collections.singleton(first.result()));
        List<Tensor> b = Structures.tensors(Collections.singleton(second.result()));
        boolean fits = a.size() == b.size();
        for (int i = 0; fits && i < a.size(); i++) {
            fits = Alignment.sameShape(a.get(i), b.get(i)) != null;
        }
        List<Alignment.Pair> pairs = Alignment.of(first.steps(), second.steps());
        int fewer = Math.min(first.steps().size(), second.steps().size());
        boolean alike = pairs.stream().anyMatch(Alignment.Pair::near);
        for (int i = 0; fits && i < a.size(); i++) {
            alike |= ValueRange.of(a.get(i)).isNear(ValueRange.of(b.get(i)));
        }
        if (!fits || !alike && pairs.size() < RELATED * fewer) {
            throw new IllegalArgumentException("models: " + pairs.size() + " of "
                    + first.steps().size() + " and " + second.steps().size() + " layers in common, results " + a
                    + " and " + b + " (expected: two files of one model)");
        }
        List<LayerDifference> layers = new ArrayList<>();
        pairs.forEach(pair -> layers.add(LayerDifference.of(pair.first(), pair.second())));
        List<LayerDifference> results = new ArrayList<>();
        for (int i = 0; i < a.size(); i++) {
            results.add(LayerDifference.of(RecordedStep.result(a.get(i)), RecordedStep.result(b.get(i))));
        }
        return new ModelDifference(
                layers, results, first.steps().size(), second.steps().size());
    }

    /** The first layer with less signal to noise, or null. */
    public LayerDifference firstBelow(double decibels) {
        return layers.stream()
                .filter(layer -> layer.decibels() < decibels)
                .findFirst()
                .orElse(null);
    }
}
