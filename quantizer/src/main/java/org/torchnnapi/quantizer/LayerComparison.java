package org.torchnnapi.quantizer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.support.Structures;

/** Runs the float and the quantized graph on the same inputs and measures what each layer loses. */
final class LayerComparison {
    /** Inputs that are looked at: each takes the memory of all its activations twice. */
    private static final int MOST_INPUTS = 16;

    private final Map<QuantizedPart, SignalToNoise> all = new LinkedHashMap<>();
    private final Map<QuantizedPart, SignalToNoise> own = new LinkedHashMap<>();
    private final SignalToNoise outputs = new SignalToNoise();
    private int compared;
    private long rows;
    private long same;

    static LayerComparison run(
            Calibration calibration,
            Graph real,
            Graph quantized,
            List<QuantizedPart> parts,
            Map<Value, Value> produced,
            QuantizationProgress progress)
            throws IOException {
        LayerComparison comparison = new LayerComparison();
        List<QuantizedPart> layers =
                parts.stream().filter(QuantizedPart::isObserved).collect(Streams.toList());
        List<Value> expected = new ArrayList<>(
                layers.stream().map(part -> part.outputs().get(0)).collect(Streams.toList()));
        List<Value> actual =
                new ArrayList<>(expected.stream().map(produced::get).collect(Streams.toList()));
        expected.addAll(real.block().results());
        actual.addAll(quantized.block().results());
        Probe floats = new Probe(calibration.interpreter(), real, expected);
        Probe integers = new Probe(calibration.interpreter(), quantized, actual);
        List<QuantizedPart> products = layers.stream()
                .filter(part -> part.role() == QuantizedPart.Role.PRODUCT)
                .collect(Streams.toList());
        products.forEach(part -> addReal(integers, produced.get(part.outputs().get(0)), part));
        for (int i = 0; i < Math.min(calibration.size(), MOST_INPUTS); i++) {
            progress.update("comparing", i, Math.min(calibration.size(), MOST_INPUTS));
            comparison.add(layers, products, calibration.run(floats, i), calibration.run(integers, i));
        }
        return comparison;
    }

    /** The layer in real numbers on what the quantized model gives it. */
    private static void addReal(Probe probe, Value produced, QuantizedPart part) {
        Node node = probe.of(produced).definition();
        NodeBuilder before = NodeBuilder.before(node);
        Value result = again(before, part.node(), before.dequantize(node.input(0)));
        probe.graph().block().addResult(part.relu() ? again(before, part.end(), result) : result);
    }

    private static Value again(NodeBuilder before, Node original, Value input) {
        List<Value> inputs = new ArrayList<>(List.of(input));
        for (Value argument : original.inputs().subList(1, original.inputs().size())) {
            inputs.add(before.constant(Literals.of(argument).get().value()));
        }
        return before.again(original, inputs);
    }

    private void add(
            List<QuantizedPart> layers, List<QuantizedPart> products, List<Object> real, List<Object> quantized) {
        compared++;
        for (int k = 0; k < layers.size(); k++) {
            all.computeIfAbsent(layers.get(k), part -> new SignalToNoise())
                    .add((Tensor) real.get(k), (Tensor) quantized.get(k));
        }
        int results = real.size() - layers.size();
        List<Tensor> a = Structures.tensors(real.subList(layers.size(), real.size()));
        List<Tensor> b = Structures.tensors(quantized.subList(layers.size(), layers.size() + results));
        for (int k = 0; k < Math.min(a.size(), b.size()); k++) {
            addResult(a.get(k), Operators.dequantize(b.get(k)));
        }
        for (int k = 0; k < products.size(); k++) {
            own.computeIfAbsent(products.get(k), part -> new SignalToNoise())
                    .add((Tensor) quantized.get(layers.size() + results + k), (Tensor)
                            quantized.get(layers.indexOf(products.get(k))));
        }
    }

    private void addResult(Tensor expected, Tensor actual) {
        if (expected.dtype() != DType.FLOAT32 || !Arrays.equals(expected.sizes(), actual.sizes())) {
            return;
        }
        outputs.add(expected, actual);
        if (expected.rank() == 2 && expected.size(1) > 1) {
            float[] x = expected.toFloatArray();
            float[] y = actual.toFloatArray();
            int columns = expected.size(1);
            for (int row = 0; row < x.length; row += columns) {
                rows++;
                same += largest(x, row, columns) == largest(y, row, columns) ? 1 : 0;
            }
        }
    }

    private static int largest(float[] values, int from, int count) {
        int at = from;
        for (int i = from; i < from + count; i++) {
            at = values[i] > values[at] ? i : at;
        }
        return at - from;
    }

    double decibels(QuantizedPart part) {
        return all.containsKey(part) ? all.get(part).decibels() : Double.NaN;
    }

    double own(QuantizedPart part) {
        return own.containsKey(part) ? own.get(part).decibels() : Double.NaN;
    }

    double outputDecibels() {
        return compared == 0 ? Double.NaN : outputs.decibels();
    }

    int compared() {
        return compared;
    }

    long rows() {
        return rows;
    }

    long sameClass() {
        return same;
    }
}
