package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.check.Structures;
import org.torchnnapi.converter.emit.SegmentModules;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Where a converted model begins to differ from the original: each segment runs on what the original gives it, returning the result of each
 * of its nodes, which are compared with the original's in their order.
 *
 * @param node   the first node whose results differ, or null
 * @param text   how they differ, or how far they agree
 * @param covers whether all segments were looked at; those within branches and loops are not
 * @param orders whether TorchScript puts results in an order, or chooses among them, by comparing them
 */
public record Divergence(Node node, String text, boolean covers, boolean orders) {
    /**
     * @param graph   frozen and inlined, as the conversion began with; changed
     * @param module  the original
     * @param samples arguments to run on
     */
    public static Divergence find(Graph graph, ScriptModule module, List<?> samples, FreeOptions options, ScriptRuntime runtime, SelfCheck.Bound bound) {
        FreeConversion.Divided divided = FreeConversion.divide(graph, samples, options);
        Block block = graph.block();
        Segments.Division division = divided.division().divisions().stream().filter(d -> d.block() == block).findFirst().get();
        boolean covers = divided.division().segments().size() == division.segments().size();
        boolean orders = orders(block, divided.division().taken());
        List<Value> wanted = new ArrayList<>();
        Map<Integer, List<Value>> inside = new TreeMap<>();
        for (Map.Entry<Integer, LoweredSegment> entry : division.segments().entrySet()) {
            inside.put(entry.getKey(), block.nodes().stream().filter(node -> divided.division().taken().contains(node) && division.stages().get(node).equals(entry.getKey()))
                .flatMap(node -> node.outputs().stream()).filter(value -> divided.facts().of(value) != null && value.isUsed()).collect(Streams.toList()));
            entry.getValue().inputs().forEach(input -> wanted.add(input.value()));
            wanted.addAll(inside.get(entry.getKey()));
        }
        Map<Value, Object> reference = reference(graph, module, samples, wanted);
        Comparison comparison = new Comparison(reference, module, options, runtime, bound);
        for (Map.Entry<Integer, LoweredSegment> entry : division.segments().entrySet()) {
            if (comparison.first(entry.getValue()) == null) {
                continue;
            }
            LoweredSegment all = entry.getValue();
            try {
                List<Node> nodes = block.nodes().stream().filter(node -> divided.division().taken().contains(node) && division.stages().get(node).equals(entry.getKey()))
                    .collect(Streams.toList());
                all = SegmentLowering.lower(nodes, inside.get(entry.getKey()), divided.facts(), Set.of(), options.target());
            } catch (Refused | SegmentLowering.NodeRefused e) {
                // Some result inside cannot leave an NNAPI model; the segment's own can.
                all = entry.getValue();
            }
            Node first = comparison.first(all);
            return new Divergence(first != null ? first : comparison.first(entry.getValue()), comparison.text, covers, orders);
        }
        return new Divergence(null, comparison.text, covers, orders);
    }

    /** Runs segments on the original's values. */
    private static final class Comparison {
        private final Map<Value, Object> reference;
        private final ScriptModule module;
        private final FreeOptions options;
        private final ScriptRuntime runtime;
        private final SelfCheck.Bound bound;
        private String text = "";

        Comparison(Map<Value, Object> reference, ScriptModule module, FreeOptions options, ScriptRuntime runtime, SelfCheck.Bound bound) {
            this.reference = reference;
            this.module = module;
            this.options = options;
            this.runtime = runtime;
            this.bound = bound;
        }

        /** The first node whose result differs, or null. */
        Node first(LoweredSegment segment) {
            ScriptObject part = SegmentModules.of(List.of(segment.model()), options.preference(), options.relaxed(), runtime, UnaryOperator.identity()).get(0);
            ScriptList arguments = new ScriptList(Type.Basic.TENSOR);
            for (LoweredSegment.Boundary input : segment.inputs()) {
                arguments.items().add(Structures.cast((Tensor) reference.get(input.value()), input.dtype(), input.shape()));
            }
            ScriptList results = (ScriptList) module.interpreter().run(part.type().method("forward"), Arrays.asList(part, arguments), Map.of());
            for (int i = 0; i < segment.outputs().size(); i++) {
                Value value = segment.outputs().get(i).value();
                Tensor expected = (Tensor) reference.get(value);
                Tensor actual = Structures.cast((Tensor) results.get(i), expected.dtype(), expected.sizes());
                SelfCheck.Result result = SelfCheck.compare(List.of(expected), List.of(actual), bound);
                text = result.text();
                if (!result.agrees()) {
                    return value.definition();
                }
            }
            return null;
        }
    }

    /** What the specialised graph computes for values of its outer block, without NNAPI. */
    private static Map<Value, Object> reference(Graph graph, ScriptModule module, List<?> samples, List<Value> wanted) {
        Graph copy = new Graph();
        Map<Value, Value> names = new HashMap<>();
        graph.inputs().forEach(input -> names.put(input, copy.addInput(input.type(), input.name())));
        new BlockCopy(copy, names).copyInto(graph.block(), copy.block()::append);
        Node results = copy.create("prim::TupleConstruct");
        wanted.forEach(value -> results.addInput(names.get(value)));
        Type.TupleType type = Type.TupleType.of(wanted.stream().map(Value::type).collect(Streams.toList()));
        copy.block().addResult(results.addOutput(type));
        copy.block().append(results);
        List<FunctionSchema.Argument> arguments = new ArrayList<>();
        copy.inputs().forEach(input -> arguments.add(FunctionSchema.Argument.of("a" + arguments.size(), input.type())));
        FunctionSchema schema = new FunctionSchema("reference", "", arguments, List.of(FunctionSchema.Argument.of("", type)), false);
        List<Object> given = new ArrayList<>();
        given.add(module.object());
        samples.forEach(sample -> given.add(Structures.copy(sample)));
        while (given.size() < arguments.size()) {
            given.add(null);
        }
        List<Object> values = ((ScriptTuple) module.interpreter().run(new Function("reference", schema, () -> copy), given, Map.of())).items();
        Map<Value, Object> found = new IdentityHashMap<>();
        for (int i = 0; i < values.size(); i++) {
            found.put(wanted.get(i), values.get(i));
        }
        return found;
    }

    private static boolean orders(Block block, Set<Node> taken) {
        return block.nodes().stream().anyMatch(node -> !taken.contains(node) && (OperatorTrait.JUMPS.of(node) || OperatorTrait.DATA_DEPENDENT.of(node)
            || node.blocks().stream().anyMatch(inner -> orders(inner, taken))));
    }
}
