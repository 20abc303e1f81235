package org.torchnnapi.converter.quantize;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.converter.passes.Literals;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

/**
 * Folds batch normalization into linear layers and transposed convolutions, as {@code torch.nn.utils.fusion} does in float32; convolutions have
 * theirs folded before.
 */
final class Normalizations {
    private static final int EPSILON = 7;
    private static final int TRAINING = 5;

    private Normalizations() {
    }

    /** @return how many were folded */
    static int fold(Graph graph) {
        int folded = 0;
        for (Node node : List.copyOf(graph.block().nodes())) {
            folded += node.is("aten::batch_norm") && node.inputs().size() > EPSILON && fold(node) ? 1 : 0;
        }
        return folded;
    }

    private static boolean fold(Node norm) {
        Node before = norm.input(0).definition();
        Optional<Product> found = before == null || norm.input(0).uses().size() != 1 ? Optional.empty() : Product.of(before);
        if (found.isEmpty()) {
            return false;
        }
        Product product = found.get();
        int channels = product.outputs();
        Tensor mean = Product.floats(norm, 3);
        Tensor variance = Product.floats(norm, 4);
        Object training = Literals.of(norm.input(TRAINING)).map(Literals.Literal::value).orElse(null);
        Object epsilon = Literals.of(norm.input(EPSILON)).map(Literals.Literal::value).orElse(null);
        float[] scale = affine(norm, 1, channels, 1);
        float[] shift = affine(norm, 2, channels, 0);
        if (mean == null || variance == null || scale == null || shift == null || mean.numel() != channels || !Boolean.FALSE.equals(training)
            || !(epsilon instanceof Number number)) {
            return false;
        }
        float[] means = mean.toFloatArray();
        float[] variances = variance.toFloatArray();
        float[] bias = product.bias() == null ? new float[channels] : product.bias().toFloatArray().clone();
        float[] factors = new float[channels];
        for (int c = 0; c < channels; c++) {
            float inverse = 1f / (float) Math.sqrt(variances[c] + number.floatValue());
            factors[c] = scale[c] * inverse;
            bias[c] = (bias[c] - means[c]) * inverse * scale[c] + shift[c];
        }
        Weights.set(product, Weights.scaledOutputs(product, factors), Tensor.of(bias, channels));
        norm.output().replaceAllUsesWith(before.output());
        before.output().name(norm.output().name());
        norm.destroy();
        return true;
    }

    private static float[] affine(Node norm, int input, int channels, float absent) {
        if (Literals.isNone(norm.input(input))) {
            float[] all = new float[channels];
            Arrays.fill(all, absent);
            return all;
        }
        Tensor known = Product.floats(norm, input);
        return known == null || known.numel() != channels ? null : known.toFloatArray();
    }
}
