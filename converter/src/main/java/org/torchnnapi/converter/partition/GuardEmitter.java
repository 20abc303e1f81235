package org.torchnnapi.converter.partition;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.partial.ArgumentSources;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Arguments whose shapes and element types a divided graph must ask for: something in it was made for these, and they
 * are not passed to NNAPI as they are, which refuses tensors of another size and type than its models'.
 */
final class GuardEmitter {
    /**
     * What a tensor must be.
     *
     * @param shape its sizes, or null where any will do
     * @param dtype its element type
     */
    record Asked(int[] shape, DType dtype) {
        Asked ofAnyShape() {
            return new Asked(null, dtype);
        }
    }

    private final Graph graph;
    private final ArgumentSources sources;
    /** Arguments that values follow from which are of the element type that a segment takes once they are converted. */
    private final ArgumentSources converted;

    private final Set<Value> passedInShape = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Value> passedAsTheyAre = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Value, Asked> asked = new LinkedHashMap<>();

    private GuardEmitter(Graph graph, ArgumentSources sources) {
        this.graph = graph;
        this.sources = sources;
        converted = new ArgumentSources(graph);
    }

    /**
     * @param samples of the inputs of the graph behind the module
     * @param sources what shapes follow from that became part of the graph while it was specialised; more are added
     * @return tensors among the arguments, or that the graph reads from such before all else, with what they must be
     */
    static Map<Value, Asked> of(Graph graph, List<?> samples, GraphPartition division, ArgumentSources sources) {
        GuardEmitter checks = new GuardEmitter(graph, sources);
        checks.look(division);
        for (int i = 0; i < samples.size() && i + 1 < graph.inputs().size(); i++) {
            Value input = graph.inputs().get(i + 1);
            boolean shape = sources.arguments().contains(input);
            if ((shape || checks.converted.arguments().contains(input)) && isOfTensors(input.type())) {
                checks.require(input, samples.get(i), shape);
            }
        }
        return checks.asked;
    }

    private void look(GraphPartition division) {
        for (GraphPartition.Division divided : division.divisions()) {
            Map<Integer, Set<Value>> inputs = new HashMap<>();
            divided.segments().forEach((stage, segment) -> {
                Set<Value> own = Collections.newSetFromMap(new IdentityHashMap<>());
                segment.inputs().forEach(boundary -> own.add(boundary.value()));
                inputs.put(stage, own);
                segment.inputs()
                        .forEach(boundary -> look(boundary, segment.rows() > 0, divided.block() == graph.block()));
            });
            divided.stages().forEach((node, stage) -> {
                if (division.taken().contains(node)) {
                    unpassed(node, inputs.get(stage), divided, division.taken());
                }
            });
        }
    }

    private void look(LoweredSegment.Boundary boundary, boolean rows, boolean always) {
        boolean sameType = boundary.dtype() == boundary.facts().dtype();
        if (!sameType) {
            converted.add(boundary.value());
        }
        if (rows) {
            return;
        }
        if (!Arrays.equals(boundary.shape(), boundary.facts().shape())) {
            // Others of as many elements could be given in the shape that NNAPI sees; what is computed as a single
            // number stays one.
            if (boundary.facts().shape().length > 0 || graph.inputs().contains(boundary.value())) {
                sources.add(boundary.value());
            }
        } else if (always) {
            passedInShape.add(boundary.value());
            if (sameType) {
                passedAsTheyAre.add(boundary.value());
            }
        }
    }

    private static boolean isOfTensors(Type type) {
        return type == Type.Basic.TENSOR
                || type instanceof Type.OptionalType optional && isOfTensors(optional.element())
                || type instanceof Type.ListType list && isOfTensors(list.element())
                || type instanceof Type.TupleType tuple
                        && tuple.elements().stream().anyMatch(GuardEmitter::isOfTensors)
                || type instanceof Type.DictType dict
                        && (dict.key() == Type.Basic.STRING || dict.key() == Type.Basic.INT)
                        && isOfTensors(dict.value());
    }

    /** Notes an argument's tensors, which are read from it before all else. */
    private void require(Value value, Object sample, boolean shape) {
        if (value.type() instanceof Type.OptionalType) {
            if (sample != null) {
                require(given(value), sample, shape);
            }
            return;
        }
        if (sample instanceof Tensor tensor) {
            boolean sizes = shape && !passedInShape.contains(value);
            if (value.type() == Type.Basic.TENSOR && !passedAsTheyAre.contains(value)) {
                asked.put(value, new Asked(sizes ? tensor.sizes() : null, tensor.dtype()));
            }
            return;
        }
        if (!value.uses().stream().allMatch(GuardEmitter::isFollowed)) {
            return;
        }
        if (sample instanceof ScriptDict dict) {
            dict.items().forEach((key, item) -> require(item(value, key), item, shape));
            return;
        }
        List<?> items = sample instanceof ScriptList list
                ? list.items()
                : sample instanceof ScriptTuple tuple ? tuple.items() : List.of();
        List<Value> parts = items.isEmpty() ? List.of() : parts(value, items.size());
        for (int i = 0; i < parts.size(); i++) {
            require(parts.get(i), items.get(i), shape);
        }
    }

    /**
     * Whether a use of a container is one of those that stay where it is followed; of others nobody knows which items
     * they will have.
     */
    private static boolean isFollowed(Value.Use use) {
        Node reader = use.user();
        return use.index() == 0
                && (reader.is(Prim.LIST_UNPACK)
                        || reader.is(Prim.TUPLE_UNPACK)
                        || NodeBuilder.isItem(reader)
                        || reader.is("aten::len"));
    }

    /** An argument that the graph has found not to be None. */
    private Value given(Value optional) {
        for (Value.Use use : optional.uses()) {
            if (use.user().is(Prim.UNCHECKED_CAST) && use.user().owner() == graph.block()) {
                return use.user().output();
            }
        }
        return loose().given(optional);
    }

    /** What the graph reads of a dict, or would read. */
    private Value item(Value dict, Object key) {
        for (Value.Use use : dict.uses()) {
            Node reader = use.user();
            if (NodeBuilder.isItem(reader)
                    && reader.owner() == graph.block()
                    && reader.input(1).definition() != null
                    && key.equals(reader.input(1).definition().attribute("value"))) {
                return reader.output();
            }
        }
        return loose().item(dict, key);
    }

    private List<Value> parts(Value items, int count) {
        String unpack = items.type() instanceof Type.ListType ? Prim.LIST_UNPACK : Prim.TUPLE_UNPACK;
        for (Value.Use use : items.uses()) {
            if (use.user().is(unpack)
                    && use.user().owner() == graph.block()
                    && use.user().outputs().size() == count) {
                return use.user().outputs();
            }
        }
        return loose().unpack(items, count);
    }

    /** Makes nodes that who reads them places. */
    private NodeBuilder loose() {
        return NodeBuilder.withLooseConstants(graph, node -> {});
    }

    /** Tensors that come into a segment for their shapes alone, as those without elements do. */
    private void unpassed(Node node, Set<Value> inputs, GraphPartition.Division divided, Set<Node> taken) {
        for (Value value : node.inputs()) {
            Node maker = value.definition();
            if (maker != null && NodeLowerings.isGlue(maker)) {
                unpassed(maker, inputs, divided, taken);
            } else if (!inputs.contains(value)
                    && (maker == null
                            || !taken.contains(maker)
                            || !divided.stages().containsKey(maker))) {
                sources.add(value);
            }
        }
    }
}
