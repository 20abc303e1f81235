package org.torchnnapi.quantizer;

import java.util.List;

/**
 * How a model is quantized.
 *
 * @param observer how ranges of activations are chosen
 * @param perChannel whether weights have a scale for each output channel; transposed convolutions have one in any case,
 *     as QNNPACK takes no others
 * @param equalize whether weights of a layer and of the one behind it are first scaled against each other so that their
 *     channels have like ranges (Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias
 *     Correction", 2019, section 4.1)
 * @param correctBias whether biases make up for what rounding the weights adds to a channel on average (the same,
 *     section 4.2, with the mean measured on the calibration inputs)
 * @param dynamic whether activations stay float and are quantized as they come, in linear and recurrent layers only;
 *     without calibration
 * @param keepFloat what stays float: patterns with {@code *} and {@code ?} of module paths ({@code features.0*}) or of
 *     operators ({@code aten::add})
 * @param budget the least signal to noise of the outputs in decibels, or null: the layers that lose most stay float
 *     until it is met
 */
public record QuantizationOptions(
        ObserverKind observer,
        boolean perChannel,
        boolean equalize,
        boolean correctBias,
        boolean dynamic,
        List<String> keepFloat,
        Double budget) {
    /** Copies the patterns. */
    public QuantizationOptions {
        keepFloat = List.copyOf(keepFloat);
    }

    /** Least and greatest values, a scale for a weight, nothing else. */
    public static QuantizationOptions defaults() {
        return new QuantizationOptions(ObserverKind.MINMAX, false, false, false, false, List.of(), null);
    }

    /** How ranges of activations are found. */
    public QuantizationOptions withObserver(ObserverKind kind) {
        return new QuantizationOptions(kind, perChannel, equalize, correctBias, dynamic, keepFloat, budget);
    }

    /** Whether weights have a scale for each channel. */
    public QuantizationOptions withPerChannel(boolean wanted) {
        return new QuantizationOptions(observer, wanted, equalize, correctBias, dynamic, keepFloat, budget);
    }

    /** Whether weights of neighbouring layers are first scaled against each other. */
    public QuantizationOptions withEqualize(boolean wanted) {
        return new QuantizationOptions(observer, perChannel, wanted, correctBias, dynamic, keepFloat, budget);
    }

    /** Whether biases make up for what rounding the weights adds. */
    public QuantizationOptions withCorrectBias(boolean wanted) {
        return new QuantizationOptions(observer, perChannel, equalize, wanted, dynamic, keepFloat, budget);
    }

    /** Whether activations are quantized as they come, without calibration. */
    public QuantizationOptions withDynamic(boolean wanted) {
        return new QuantizationOptions(observer, perChannel, equalize, correctBias, wanted, keepFloat, budget);
    }

    /** What stays float, by patterns of module paths or operators. */
    public QuantizationOptions withKeepFloat(List<String> patterns) {
        return new QuantizationOptions(observer, perChannel, equalize, correctBias, dynamic, patterns, budget);
    }

    /** The least signal to noise of the outputs in decibels; null for none. */
    public QuantizationOptions withBudget(Double decibels) {
        return new QuantizationOptions(observer, perChannel, equalize, correctBias, dynamic, keepFloat, decibels);
    }
}
