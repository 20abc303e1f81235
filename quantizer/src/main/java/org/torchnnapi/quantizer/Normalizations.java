package org.torchnnapi.quantizer;

import java.util.List;
import java.util.Optional;
import org.torchnnapi.operators.passes.FoldedBatchNorm;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

/**
 * Folds batch normalization into linear layers and transposed convolutions, as {@code torch.nn.utils.fusion} does in
 * float32; convolutions have theirs folded before.
 */
final class Normalizations {
    private Normalizations() {}

    /** @return how many were folded */
    static int fold(Graph graph) {
        int folded = 0;
        for (Node node : List.copyOf(graph.block().nodes())) {
            folded += node.is("aten::batch_norm") && fold(node) ? 1 : 0;
        }
        return folded;
    }

    private static boolean fold(Node norm) {
        Node before = norm.input(0).definition();
        Optional<Product> found =
                before == null || norm.input(0).uses().size() != 1 ? Optional.empty() : Product.of(before);
        if (!found.isPresent()) {
            return false;
        }
        Product product = found.get();
        Optional<FoldedBatchNorm> known = FoldedBatchNorm.of(norm, product.outputs());
        if (!known.isPresent()) {
            return false;
        }
        float[] bias = product.bias() == null
                ? new float[product.outputs()]
                : product.bias().toFloatArray().clone();
        known.get().fold(bias);
        ChannelWeighting.set(
                product, ChannelWeighting.scaledOutputs(product, known.get().factors()), Tensor.of(bias, bias.length));
        norm.output().replaceAllUsesWith(before.output());
        before.output().name(norm.output().name());
        norm.destroy();
        return true;
    }
}
