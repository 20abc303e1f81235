package org.torchnnapi.converter.free;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
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
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

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
     * @return tensors among the arguments, or that the graph reads from such before all else, with the sizes that they must have
     */
    static Map<Value, int[]> of(Graph graph, List<?> samples, Segments.Outcome division, ShapeSources sources) {
        Set<Value> passed = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Segments.Division divided : division.divisions()) {
            Map<Integer, Set<Value>> inputs = new HashMap<>();
            divided.segments().forEach((stage, segment) -> {
                Set<Value> own = Collections.newSetFromMap(new IdentityHashMap<>());
                segment.inputs().forEach(boundary -> own.add(boundary.value()));
                inputs.put(stage, own);
                if (segment.rows() > 0) {
                    return;
                }
                for (LoweredSegment.Boundary boundary : segment.inputs()) {
                    if (!Arrays.equals(boundary.shape(), boundary.facts().shape())) {
                        // Others of as many elements could be given in the shape that NNAPI sees; what is computed as a single number stays one.
                        if (boundary.facts().shape().length > 0 || graph.inputs().contains(boundary.value())) {
                            sources.add(boundary.value());
                        }
                    } else if (divided.block() == graph.block()) {
                        passed.add(boundary.value());
                    }
                }
            });
            divided.stages().forEach((node, stage) -> {
                if (division.taken().contains(node)) {
                    unpassed(node, inputs.get(stage), divided, division.taken(), sources);
                }
            });
        }
        Map<Value, int[]> shapes = new LinkedHashMap<>();
        for (int i = 0; i < samples.size() && i + 1 < graph.inputs().size(); i++) {
            Value input = graph.inputs().get(i + 1);
            if (sources.arguments().contains(input) && isOfTensors(input.type())) {
                require(input, samples.get(i), graph, passed, shapes);
            }
        }
        return shapes;
    }

    private static boolean isOfTensors(Type type) {
        return type == Type.Basic.TENSOR || type instanceof Type.OptionalType optional && isOfTensors(optional.element()) || type instanceof Type.ListType list && isOfTensors(list.element())
            || type instanceof Type.TupleType tuple && tuple.elements().stream().anyMatch(ArgumentShapes::isOfTensors)
            || type instanceof Type.DictType dict && (dict.key() == Type.Basic.STRING || dict.key() == Type.Basic.INT) && isOfTensors(dict.value());
    }

    /** Notes the shapes of an argument's tensors, which are read from it before all else. */
    private static void require(Value value, Object sample, Graph graph, Set<Value> passed, Map<Value, int[]> shapes) {
        if (value.type() instanceof Type.OptionalType optional) {
            if (sample != null) {
                require(given(value, optional.element(), graph), sample, graph, passed, shapes);
            }
            return;
        }
        if (sample instanceof Tensor tensor) {
            if (value.type() == Type.Basic.TENSOR && !passed.contains(value)) {
                shapes.put(value, tensor.sizes());
            }
            return;
        }
        if (!value.uses().stream().allMatch(ArgumentShapes::isFollowed)) {
            return;
        }
        if (sample instanceof ScriptDict dict) {
            dict.items().forEach((key, item) -> require(item(value, key, graph), item, graph, passed, shapes));
            return;
        }
        List<?> items = sample instanceof ScriptList list ? list.items() : sample instanceof ScriptTuple tuple ? tuple.items() : List.of();
        List<Value> parts = items.isEmpty() ? List.of() : parts(value, items.size(), graph);
        for (int i = 0; i < parts.size(); i++) {
            require(parts.get(i), items.get(i), graph, passed, shapes);
        }
    }

    /** Whether a use of a container is one of those that stay where it is followed; of others nobody knows which items they will have. */
    private static boolean isFollowed(Value.Use use) {
        Node reader = use.user();
        return use.index() == 0 && (reader.is("prim::ListUnpack") || reader.is("prim::TupleUnpack") || reader.is("aten::__getitem__") || reader.is("aten::len"));
    }

    /** An argument that the graph has found not to be None. */
    private static Value given(Value optional, Type element, Graph graph) {
        for (Value.Use use : optional.uses()) {
            if (use.user().is("prim::unchecked_cast") && use.user().owner() == graph.block()) {
                return use.user().output();
            }
        }
        return graph.create("prim::unchecked_cast").addInput(optional).addOutput(element);
    }

    /** What the graph reads of a dict, or would read. */
    private static Value item(Value dict, Object key, Graph graph) {
        for (Value.Use use : dict.uses()) {
            Node reader = use.user();
            if (reader.is("aten::__getitem__") && reader.owner() == graph.block() && reader.input(1).definition() != null && key.equals(reader.input(1).definition().attribute("value"))) {
                return reader.output();
            }
        }
        Type.DictType type = (Type.DictType) dict.type();
        String overload = "aten::__getitem__.Dict_" + (key instanceof String ? "str" : "int");
        return GraphCalls.node(graph, overload, dict, graph.constant(key, type.key()).output()).addOutput(type.value());
    }

    private static List<Value> parts(Value items, int count, Graph graph) {
        boolean list = items.type() instanceof Type.ListType;
        String unpack = list ? "prim::ListUnpack" : "prim::TupleUnpack";
        for (Value.Use use : items.uses()) {
            if (use.user().is(unpack) && use.user().owner() == graph.block() && use.user().outputs().size() == count) {
                return use.user().outputs();
            }
        }
        Node reader = graph.create(unpack).addInput(items);
        for (int i = 0; i < count; i++) {
            reader.addOutput(list ? ((Type.ListType) items.type()).element() : ((Type.TupleType) items.type()).elements().get(i));
        }
        return reader.outputs();
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
