package org.torchnnapi.quantizer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * What the rounding of a layer's weights adds to each of its output channels on average: the layer with the error of
 * its weights in place of them, on the activations of the float model. Taken off the biases, it leaves errors without a
 * mean.
 */
final class BiasCorrection {
    private BiasCorrection() {}

    /** What is to be added to the biases, by node. */
    static Map<Node, Tensor> run(
            Calibration calibration,
            Graph graph,
            List<QuantizedPart> parts,
            boolean perChannel,
            QuantizationProgress progress)
            throws IOException {
        Probe probe = new Probe(calibration.interpreter(), graph, List.of());
        Map<Node, double[]> sums = new LinkedHashMap<>();
        List<Product> products = new ArrayList<>();
        for (QuantizedPart part : parts) {
            if (part.role() == QuantizedPart.Role.PRODUCT) {
                Product product = part.product();
                products.add(product);
                sums.put(product.node(), new double[product.outputs()]);
                addError(probe, product, perChannel);
            }
        }
        for (int i = 0; i < calibration.size(); i++) {
            progress.update("correcting biases", i, calibration.size());
            List<Object> errors = calibration.run(probe, i);
            for (int k = 0; k < errors.size(); k++) {
                add(sums.get(products.get(k).node()), (Tensor) errors.get(k), products.get(k));
            }
        }
        Map<Node, Tensor> shifts = new HashMap<>();
        sums.forEach((node, sum) -> {
            float[] shift = new float[sum.length];
            for (int c = 0; c < shift.length; c++) {
                shift[c] = (float) (-sum[c] / calibration.size());
            }
            shifts.put(node, Tensor.of(shift, shift.length));
        });
        return shifts;
    }

    private static void addError(Probe probe, Product product, boolean perChannel) {
        Tensor weight = product.weight();
        boolean channels = perChannel && !product.kind().isTransposed();
        float[] rounded = Operators.dequantize(Operators.quantize(
                        weight, channels ? Scales.symmetricPerChannel(weight) : Scales.symmetric(weight)))
                .toFloatArray()
                .clone();
        float[] exact = weight.toFloatArray();
        for (int i = 0; i < rounded.length; i++) {
            rounded[i] -= exact[i];
        }
        Node original = probe.of(product.node().output()).definition();
        NodeBuilder before = NodeBuilder.before(original);
        List<Value> inputs = new ArrayList<>(original.inputs());
        inputs.set(product.weightInput(), before.constant(Tensor.of(rounded, weight.sizes())));
        inputs.set(product.biasInput(), before.constant(null));
        probe.graph().block().addResult(before.again(original, inputs));
    }

    /** Adds the mean of each channel: of a linear layer the last dimension, of an image the second. */
    private static void add(double[] sums, Tensor error, Product product) {
        float[] values = error.toFloatArray();
        int inner = product.kind() == Product.Kind.LINEAR
                ? 1
                : Math.toIntExact(error.numel() / Math.max(1, (long) error.size(0) * error.size(1)));
        double each = (double) values.length / sums.length;
        for (int i = 0; i < values.length; i++) {
            sums[i / inner % sums.length] += values[i] / each;
        }
    }
}
