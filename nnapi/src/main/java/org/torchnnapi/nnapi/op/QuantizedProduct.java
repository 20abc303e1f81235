package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;

import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperandDescriptor;

/**
 * The rules of quantized operations that sum products of an input and a filter: convolutions and fully connected
 * layers.
 */
final class QuantizedProduct {
    /** The bias scale is the product of two floats; it may be off by their rounding. */
    private static final double BIAS_TOLERANCE = 1e-6;

    private QuantizedProduct() {}

    /**
     * Demands that the bias counts in steps of input scale times filter scale (zero for per-channel filters), that
     * per-channel scales run along {@code channelDim}, and notes that an output scale not above that product came with
     * 1.2.
     */
    static void check(ValidationContext operation, int input, int filter, int bias, int output, int channelDim) {
        OperandDescriptor in = operation.input(input);
        if (!in.type().isQuantized()) {
            return;
        }
        OperandDescriptor weights = operation.input(filter);
        OperandDescriptor biases = operation.input(bias);
        operation.require(biases.zeroPoint() == 0, "bias zeroPoint", biases.zeroPoint(), "0");
        ChannelQuantization channels = weights.channelQuantization();
        if (channels != null) {
            operation.require(
                    channels.channelDim() == channelDim,
                    "filter channelDim",
                    channels.channelDim(),
                    String.valueOf(channelDim));
            operation.requireInTheEnd(
                    biases.scale() == 0f, "bias scale", biases.scale(), "0: it follows the filter's channels");
            return;
        }
        double product = (double) in.scale() * weights.scale();
        operation.requireInTheEnd(
                Math.abs(product - biases.scale()) <= BIAS_TOLERANCE * Math.min(product, biases.scale()),
                "bias scale",
                biases.scale(),
                "input scale x filter scale, " + (float) product);
        if (operation.output(output).scale() <= product) {
            operation.needs(
                    V1_2, operation.output(output).scale() + " as output scale, not above input scale x filter scale");
        }
    }
}
