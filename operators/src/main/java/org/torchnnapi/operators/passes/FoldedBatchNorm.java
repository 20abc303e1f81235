package org.torchnnapi.operators.passes;

import java.util.Arrays;
import java.util.Optional;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * A batch normalization in evaluation mode whose parameters are known: {@code (x - mean) / sqrt(variance + epsilon) *
 * scale + shift} by channel, in float32 and in the order that {@code torch.nn.utils.fusion} computes in, so that
 * results are equal.
 */
public final class FoldedBatchNorm {
    private static final int SCALE = 1;
    private static final int SHIFT = 2;
    private static final int MEAN = 3;
    private static final int VARIANCE = 4;
    private static final int TRAINING = 5;
    private static final int EPSILON = 7;

    private final float[] scale;
    private final float[] shift;
    private final float[] mean;
    private final float[] inverse;

    private FoldedBatchNorm(float[] scale, float[] shift, float[] mean, float[] inverse) {
        this.scale = scale;
        this.shift = shift;
        this.mean = mean;
        this.inverse = inverse;
    }

    /**
     * @param norm an {@code aten::batch_norm}
     * @param channels how many it has to have
     * @return empty if it trains, or a parameter is not known or not of float32 and one number a channel
     */
    public static Optional<FoldedBatchNorm> of(Node norm, int channels) {
        if (norm.inputs().size() <= EPSILON
                || Literals.isNone(norm.input(MEAN))
                || Literals.isNone(norm.input(VARIANCE))) {
            return Optional.empty();
        }
        Optional<float[]> scale = channelValues(norm.input(SCALE), channels, 1);
        Optional<float[]> shift = channelValues(norm.input(SHIFT), channels, 0);
        Optional<float[]> mean = channelValues(norm.input(MEAN), channels, Float.NaN);
        Optional<float[]> variance = channelValues(norm.input(VARIANCE), channels, Float.NaN);
        Object training = Literals.orNull(norm.input(TRAINING));
        Object epsilon = Literals.orNull(norm.input(EPSILON));
        if (!scale.isPresent()
                || !shift.isPresent()
                || !mean.isPresent()
                || !variance.isPresent()
                || !Boolean.FALSE.equals(training)
                || !(epsilon instanceof Number number)) {
            return Optional.empty();
        }
        float[] inverse = new float[channels];
        for (int c = 0; c < channels; c++) {
            inverse[c] = 1f / (float) Math.sqrt(variance.get()[c] + number.floatValue());
        }
        return Optional.of(new FoldedBatchNorm(scale.get(), shift.get(), mean.get(), inverse));
    }

    private static Optional<float[]> channelValues(Value value, int channels, float absent) {
        Optional<Literals.Literal> literal = Literals.of(value);
        if (!literal.isPresent()) {
            return Optional.empty();
        }
        if (literal.get().value() == null) {
            float[] filled = new float[channels];
            Arrays.fill(filled, absent);
            return Optional.of(filled);
        }
        return literal.get().value() instanceof Tensor tensor
                        && tensor.dtype() == DType.FLOAT32
                        && tensor.numel() == channels
                ? Optional.of(tensor.toFloatArray())
                : Optional.empty();
    }

    /** By which each output channel of the layer before is multiplied. */
    public float[] factors() {
        float[] factors = new float[scale.length];
        for (int c = 0; c < factors.length; c++) {
            factors[c] = scale[c] * inverse[c];
        }
        return factors;
    }

    /** What a bias of the layer before becomes; in place. */
    public void fold(float[] bias) {
        for (int c = 0; c < bias.length; c++) {
            bias[c] = (bias[c] - mean[c]) * inverse[c] * scale[c] + shift[c];
        }
    }
}
