package org.torchnnapi.quantizer;

import java.util.List;
import java.util.Optional;
import org.torchnnapi.operators.passes.ActivationLimits;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Divides the output channels of a layer and multiplies the input channels of the only one behind it, so that both
 * weights use their range alike: by {@code sqrt(r1 / r2)} for ranges r1 and r2 of a channel (Nagel et al., 2019,
 * equation 11). Between them may stand a ReLU, which lets positive factors through.
 */
final class Equalization {
    private static final int ROUNDS = 3;

    private Equalization() {}

    /** @return how many pairs of layers were equalized */
    static int run(Graph graph) {
        int pairs = 0;
        for (int round = 0; round < ROUNDS; round++) {
            pairs = 0;
            for (Node node : List.copyOf(graph.block().nodes())) {
                Optional<Product> first = Product.of(node);
                Optional<Product> second = first.flatMap(Equalization::behind);
                if (second.isPresent()
                        && ChannelWeighting.inputs(second.get()) == first.get().outputs()) {
                    equalize(first.get(), second.get());
                    pairs++;
                }
            }
        }
        return pairs;
    }

    private static Optional<Product> behind(Product first) {
        Value value = first.node().output();
        for (int step = 0; step < 2 && value.uses().size() == 1; step++) {
            Node user = value.uses().get(0).user();
            if (user.owner() != first.node().owner() || user.inputs().isEmpty() || user.input(0) != value) {
                return Optional.empty();
            }
            Optional<Product> second = Product.of(user);
            if (second.isPresent() || !isRelu(user)) {
                // The channels of an image are no last dimension, which is what a linear layer multiplies.
                return second.filter(p -> p.kind() == Product.Kind.LINEAR == (first.kind() == Product.Kind.LINEAR));
            }
            value = user.output();
        }
        return Optional.empty();
    }

    private static boolean isRelu(Node node) {
        ActivationLimits limits = Effects.mutates(node) ? null : ActivationLimits.of(node);
        return limits != null && limits.isRectified() && limits.high() == null;
    }

    private static void equalize(Product first, Product second) {
        float[] outputs = ChannelWeighting.outputRanges(first);
        float[] inputs = ChannelWeighting.inputRanges(second, outputs.length);
        float[] down = new float[outputs.length];
        float[] up = new float[outputs.length];
        for (int c = 0; c < outputs.length; c++) {
            float factor = outputs[c] > 0 && inputs[c] > 0 ? (float) Math.sqrt((double) outputs[c] / inputs[c]) : 1;
            up[c] = factor;
            down[c] = 1 / factor;
        }
        Tensor bias = first.bias();
        if (bias != null) {
            float[] values = bias.toFloatArray().clone();
            for (int c = 0; c < values.length; c++) {
                values[c] *= down[c];
            }
            bias = Tensor.of(values, values.length);
        }
        ChannelWeighting.set(first, ChannelWeighting.scaledOutputs(first, down), bias);
        ChannelWeighting.set(second, ChannelWeighting.scaledInputs(second, up), second.bias());
    }
}
