package org.torchnnapi.quantizer;

import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** Weights of layers, channel by channel. */
final class ChannelWeighting {
    private ChannelWeighting() {}

    /** Gives a layer other weights of the same shape, and a bias. */
    static void set(Product product, Tensor weight, Tensor bias) {
        Node node = product.node();
        node.setInput(product.weightInput(), NodeBuilder.before(node).constant(weight));
        node.setInput(product.biasInput(), NodeBuilder.before(node).constant(bias));
    }

    /** The weight with each output channel multiplied. */
    static Tensor scaledOutputs(Product product, float[] factors) {
        float[] values = product.weight().toFloatArray().clone();
        for (int i = 0; i < values.length; i++) {
            values[i] *= factors[output(product, i)];
        }
        return Tensor.of(values, product.weight().sizes());
    }

    /** The weight with each input channel multiplied. */
    static Tensor scaledInputs(Product product, float[] factors) {
        float[] values = product.weight().toFloatArray().clone();
        for (int i = 0; i < values.length; i++) {
            values[i] *= factors[input(product, i)];
        }
        return Tensor.of(values, product.weight().sizes());
    }

    /** The largest magnitude of each output channel. */
    static float[] outputRanges(Product product) {
        float[] values = product.weight().toFloatArray();
        float[] ranges = new float[product.outputs()];
        for (int i = 0; i < values.length; i++) {
            ranges[output(product, i)] = Math.max(ranges[output(product, i)], Math.abs(values[i]));
        }
        return ranges;
    }

    /** The largest magnitude of each input channel. */
    static float[] inputRanges(Product product, int channels) {
        float[] values = product.weight().toFloatArray();
        float[] ranges = new float[channels];
        for (int i = 0; i < values.length; i++) {
            ranges[input(product, i)] = Math.max(ranges[input(product, i)], Math.abs(values[i]));
        }
        return ranges;
    }

    /** Number of input channels. */
    static int inputs(Product product) {
        return product.kind().isTransposed()
                ? product.weight().size(0)
                : Math.toIntExact(product.weight().size(1) * product.groups());
    }

    private static int output(Product product, int element) {
        Tensor w = product.weight();
        int row = Math.toIntExact(w.numel() / w.size(0));
        if (!product.kind().isTransposed()) {
            return element / row;
        }
        int kernel = row / w.size(1);
        int group = (int) (element / row / (w.size(0) / product.groups()));
        return group * w.size(1) + element % row / kernel;
    }

    private static int input(Product product, int element) {
        Tensor w = product.weight();
        int row = Math.toIntExact(w.numel() / w.size(0));
        if (product.kind().isTransposed()) {
            return element / row;
        }
        int kernel = row / w.size(1);
        int group = (int) (element / row / (w.size(0) / product.groups()));
        return group * w.size(1) + element % row / kernel;
    }
}
