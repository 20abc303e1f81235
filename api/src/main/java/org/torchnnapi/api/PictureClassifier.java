package org.torchnnapi.api;

import java.util.List;
import java.util.Objects;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.image.RgbImage;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * A model of pictures with all that belongs to it: how a picture becomes its input, and what its classes are called.
 * Immutable; safe for use by several threads as the model is, which stays its owner's to close.
 */
public final class PictureClassifier {
    private final LoadedModel model;
    private final ImagePreprocessing preparation;
    private final List<String> labels;

    /**
     * @param model that takes one picture as its {@code forward}, and gives scores of classes
     * @param labels the classes' names by their numbers; empty for none
     */
    public PictureClassifier(LoadedModel model, ImagePreprocessing preparation, List<String> labels) {
        this.model = Objects.requireNonNull(model, "model");
        this.preparation = Objects.requireNonNull(preparation, "preparation");
        this.labels = List.copyOf(labels);
    }

    /**
     * The classes with the highest scores, highest first.
     *
     * @param most so many, or all where there are fewer
     * @throws IllegalArgumentException if the input does not fit, or the answer is no scores of classes
     * @throws org.torchnnapi.engine.OutputTypeException if the answer is no tensor
     * @throws org.torchnnapi.engine.ModelException if the model fails as it runs
     */
    public List<ScoredClass> classify(RgbImage picture, int most) {
        org.pytorch.Tensor prepared = preparation.tensor(picture);
        Tensor input = Tensor.of(prepared.getDataAsFloatArray(), Shape.toInts(prepared.shape()));
        return new ClassScores(model.forward(input).tensor()).withLabels(labels).top(0, most);
    }
}
