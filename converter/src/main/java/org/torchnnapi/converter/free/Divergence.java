package org.torchnnapi.converter.free;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Where a converted model begins to differ from the original: each segment runs on what the original gives it, returning the result of each
 * of its nodes, which are compared with the original's in their order. Where they differ, each node runs by itself on the original's values, held
 * to a closer bound: either one differs, or rounding grows from node to node. The TorchScript around the segments runs on the original's values as well.
 *
 * @param node the first node whose results differ, or null
 * @param text how they differ, or how far they agree
 * @param rest how the results of the TorchScript around the segments differ when those return the original's values, or null where they are right
 */
public record Divergence(Node node, String text, String rest) {
    /** So many elements of the original's values are held at a time. */
    private static final long MAX_ELEMENTS = 1L << 26;

    /**
     * @param graph    frozen and inlined, as the conversion began with; changed
     * @param module   the original
     * @param method   the name of the method that the graph was made of
     * @param samples  arguments to run on
     * @param bound    how exactly segments have to agree
     */
    public static Divergence find(Graph graph, ScriptModule module, String method, List<?> samples, FreeOptions options, ScriptRuntime runtime, SelfCheck.Bound bound) {
        FreeConversion.Divided divided = FreeConversion.divide(graph, samples, options);
        Block block = graph.block();
        Segments.Outcome outcome = divided.division();
        Segments.Division division = outcome.divisions().stream().filter(d -> d.block() == block).findFirst().get();
        List<Value> wanted = new ArrayList<>(block.results());
        Map<Integer, List<Node>> nodes = new TreeMap<>();
        for (Map.Entry<Integer, LoweredSegment> entry : division.segments().entrySet()) {
            nodes.put(entry.getKey(), block.nodes().stream().filter(node -> outcome.taken().contains(node) && division.stages().get(node).equals(entry.getKey()))
                .collect(Streams.toList()));
            entry.getValue().inputs().forEach(input -> wanted.add(input.value()));
            entry.getValue().outputs().forEach(output -> wanted.add(output.value()));
        }
        Comparison comparison = new Comparison(values -> reference(graph, module, samples, values), module, divided.facts(), options, runtime, bound);
        comparison.reference = comparison.original.apply(wanted);
        for (Map.Entry<Integer, LoweredSegment> entry : division.segments().entrySet()) {
            Node first = comparison.first(entry.getValue(), bound);
            if (first != null) {
                Node wrong = comparison.alone(nodes.get(entry.getKey()));
                if (wrong != null) {
                    return new Divergence(wrong, comparison.text, null);
                }
                comparison.reference = comparison.original.apply(wanted);
            }
        }
        String rest = outcome.segments().size() == division.segments().size() ? comparison.rest(graph, outcome, method, samples)
            : "segments within branches and loops are not looked into";
        return new Divergence(null, comparison.summary(), rest);
    }

    /** What nodes compute that is known and used. */
    private static List<Value> inside(List<Node> nodes, Specialisation.Facts facts) {
        return nodes.stream().flatMap(node -> node.outputs().stream()).filter(value -> facts.of(value) != null && value.isUsed()).collect(Streams.toList());
    }

    /** Runs segments on the original's values. */
    private static final class Comparison {
        private final java.util.function.Function<List<Value>, Map<Value, Object>> original;
        private final ScriptModule module;
        private final Specialisation.Facts facts;
        private final FreeOptions options;
        private final ScriptRuntime runtime;
        private final SelfCheck.Bound bound;
        /** Runs NNAPI models on the devices of the runtime, which need not be those of the original's. */
        private final Interpreter devices;
        /** What the original gives for the values that are looked at. */
        private Map<Value, Object> reference;
        private String text = "";
        private int segments;
        private int single;

        Comparison(java.util.function.Function<List<Value>, Map<Value, Object>> original, ScriptModule module, Specialisation.Facts facts, FreeOptions options, ScriptRuntime runtime, SelfCheck.Bound bound) {
            this.original = original;
            this.module = module;
            this.facts = facts;
            this.options = options;
            this.runtime = runtime;
            this.bound = bound;
            this.devices = new Interpreter(runtime.operators(), runtime.customClasses()::find);
        }

        String summary() {
            return segments + " NNAPI part" + (segments == 1 ? "" : "s") + (single == 0 ? "" : ", and in those where rounding grows each of " + single + " operations,");
        }

        /** The first node whose result a segment makes otherwise, or null. */
        Node first(LoweredSegment segment, SelfCheck.Bound allowed) {
            segments += allowed == bound ? 1 : 0;
            ScriptObject part = SegmentModules.of(List.of(segment.model()), options.preference(), options.relaxed(), runtime, UnaryOperator.identity()).get(0);
            ScriptList arguments = new ScriptList(Type.Basic.TENSOR);
            for (LoweredSegment.Boundary input : segment.inputs()) {
                arguments.items().add(Structures.cast((Tensor) reference.get(input.value()), input.dtype(), input.shape()));
            }
            ScriptList results = (ScriptList) devices.run(part.type().method("forward"), Arrays.asList(part, arguments), Map.of());
            for (int i = 0; i < segment.outputs().size(); i++) {
                Value value = segment.outputs().get(i).value();
                Tensor expected = (Tensor) reference.get(value);
                Tensor actual = Structures.cast((Tensor) results.get(i), expected.dtype(), expected.sizes());
                SelfCheck.Result result = SelfCheck.compare(List.of(expected), List.of(actual), allowed);
                if (!result.agrees()) {
                    text = result.text();
                    return value.definition();
                }
            }
            return null;
        }

        /** The first of some nodes that computes something else by itself, or null. So many at a time run on the original's values as these fit in. */
        Node alone(List<Node> nodes) {
            List<Node> some = new ArrayList<>();
            List<Value> values = new ArrayList<>();
            long elements = 0;
            for (Node node : nodes) {
                if (SegmentLowering.isGlue(node) || inside(List.of(node), facts).isEmpty()) {
                    continue;
                }
                List<Value> own = new ArrayList<>(inside(List.of(node), facts));
                SegmentLowering.lower(List.of(node), own, facts, Set.of(), options.target()).inputs().forEach(input -> own.add(input.value()));
                long more = own.stream().mapToLong(value -> facts.of(value).count()).sum();
                if (elements + more > MAX_ELEMENTS && !some.isEmpty()) {
                    Node wrong = alone(some, values);
                    if (wrong != null) {
                        return wrong;
                    }
                    some.clear();
                    values.clear();
                    elements = 0;
                }
                some.add(node);
                values.addAll(own);
                elements += more;
            }
            return some.isEmpty() ? null : alone(some, values);
        }

        private Node alone(List<Node> nodes, List<Value> values) {
            reference = Map.of();
            reference = original.apply(values);
            for (Node node : nodes) {
                single++;
                if (first(SegmentLowering.lower(List.of(node), inside(List.of(node), facts), facts, Set.of(), options.target()),
                    bound == SelfCheck.Bound.REAL ? SelfCheck.Bound.OPERATION : bound) != null) {
                    return node;
                }
            }
            return null;
        }

        /** How the results of a divided graph differ whose segments return the original's values; null where they do not. */
        String rest(Graph graph, Segments.Outcome division, String method, List<?> samples) {
            List<Tensor> expected = Structures.tensors(graph.block().results().stream().map(reference::get).collect(Streams.toList()));
            List<ScriptObject> answers = new ArrayList<>();
            for (LoweredSegment segment : division.segments()) {
                ScriptList values = new ScriptList(Type.Basic.TENSOR);
                segment.outputs().forEach(output -> values.items().add(Structures.cast((Tensor) reference.get(output.value()), output.dtype(), output.shape())));
                answers.add(answering(values, answers.size()));
            }
            ScriptObject divided = DividedGraph.module(graph, division, answers, module.object(), method, options);
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            try {
                new ModuleWriter(divided, (function, arguments) -> module.interpreter().run(function, Arrays.asList(arguments), Map.of())).debugInfo(false)
                    .archive("rest").write(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            SelfCheck.Result result = SelfCheck.compare(expected, SelfCheck.run(ScriptModule.of(TorchScriptArchive.of(file.toByteArray()), runtime), method, samples), bound);
            return result.agrees() ? null : result.text();
        }

        /** A module in the place of an NNAPI model, which returns what it holds. */
        private static ScriptObject answering(ScriptList values, int number) {
            Type list = Type.list(Type.Basic.TENSOR);
            String name = "__torch__.torchnnapi.Answers_" + number;
            ClassType type = new ClassType(name, ClassType.Kind.MODULE);
            type.addAttribute(new ClassType.Attribute("values", list, false, false));
            Graph forward = new Graph();
            Value self = forward.addInput(type, "self");
            forward.addInput(list, "arguments");
            Node read = forward.create("prim::GetAttr").attribute("name", "values").addInput(self);
            forward.block().append(read);
            forward.block().addResult(read.addOutput(list));
            type.addMethod(new Function(name + ".forward", new FunctionSchema("forward", "", List.of(FunctionSchema.Argument.of("self", type),
                FunctionSchema.Argument.of("arguments", list)), List.of(FunctionSchema.Argument.of("", list)), false), () -> forward));
            ScriptObject object = new ScriptObject(type);
            object.set("values", values);
            return object;
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
}
