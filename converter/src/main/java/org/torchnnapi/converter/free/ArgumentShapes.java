package org.torchnnapi.converter.free;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.free.lower.NodeLowerings;
import org.torchnnapi.converter.free.specialise.ShapeSources;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Arguments whose shapes a divided graph must ask for: something in it was made for these shapes, and they are not passed to NNAPI, which refuses
 * tensors of another size than its models'.
 */
final class ArgumentShapes {
    private ArgumentShapes() {
    }

    /**
     * @param samples of the inputs of the graph behind the module
     * @param sources what shapes follow from that became part of the graph while it was specialised; more are added
     * @return inputs of the graph that are tensors, with the sizes that they must have
     */
    static Map<Value, int[]> of(Graph graph, List<?> samples, Segments.Outcome division, ShapeSources sources) {
        Set<Value> passed = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Segments.Division divided : division.divisions()) {
            divided.segments().forEach((stage, segment) -> {
                Set<Value> inputs = Collections.newSetFromMap(new IdentityHashMap<>());
                segment.inputs().forEach(boundary -> inputs.add(boundary.value()));
                divided.stages().forEach((node, at) -> {
                    if (at.equals(stage) && division.taken().contains(node)) {
                        unpassed(node, inputs, divided, division.taken(), sources);
                    }
                });
                if (divided.block() == graph.block() && segment.rows() == 0) {
                    passed.addAll(inputs);
                }
            });
        }
        Map<Value, int[]> shapes = new LinkedHashMap<>();
        for (int i = 0; i < samples.size() && i + 1 < graph.inputs().size(); i++) {
            Value input = graph.inputs().get(i + 1);
            if (input.type() == Type.Basic.TENSOR && samples.get(i) instanceof Tensor sample && sources.arguments().contains(input) && !passed.contains(input)) {
                shapes.put(input, sample.sizes());
            }
        }
        return shapes;
    }

    /** Tensors that come into a segment for their shapes alone, as those without elements do. */
    private static void unpassed(Node node, Set<Value> inputs, Segments.Division divided, Set<Node> taken, ShapeSources sources) {
        for (Value value : node.inputs()) {
            Node maker = value.definition();
            if (maker != null && NodeLowerings.isGlue(maker)) {
                unpassed(maker, inputs, divided, taken, sources);
            } else if (!inputs.contains(value) && (maker == null || !taken.contains(maker) || !divided.stages().containsKey(maker))) {
                sources.add(value);
            }
        }
    }
}
