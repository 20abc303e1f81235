package org.torchnnapi.converter.partition;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.torchnnapi.converter.check.ByteFormResults;
import org.torchnnapi.converter.check.CompiledParts;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.emit.SegmentModules;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.support.ModuleRewind;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Where a converted model begins to differ from the original: each segment runs on what the original gives it,
 * returning the result of each of its nodes, which are compared with the original's in their order. Where they differ,
 * each node runs by itself on the original's values, held to a closer bound: either one differs, or rounding grows from
 * node to node. The TorchScript around the segments runs on the original's values as well.
 *
 * @param node the first node whose results differ, or null
 * @param text how they differ, or how far they agree
 * @param rest how the results of the TorchScript around the segments differ when those return the original's values, or
 *     null where they are right
 */
public record Divergence(Node node, String text, String rest) {
    /** So many elements of the original's values are held at a time, beside those that nodes to come read. */
    private static final long MAX_ELEMENTS = 1L << 26;
    /** So many elements are worth a collection. */
    private static final long LARGE = 1L << 22;

    /**
     * @param graph frozen and inlined, as the conversion began with; changed
     * @param module the original
     * @param method the name of the method that the graph was made of
     * @param samples arguments to run on
     * @param bound how exactly segments have to agree
     */
    public static Divergence find(
            Graph graph,
            ScriptModule module,
            String method,
            List<?> samples,
            NativeOptions options,
            ScriptRuntime runtime,
            SelfCheck.Bound bound) {
        return find(graph, module, method, samples, options, runtime, bound, MAX_ELEMENTS);
    }

    /** @param room so many elements of the original's values are held at a time, those of a node at least */
    static Divergence find(
            Graph graph,
            ScriptModule module,
            String method,
            List<?> samples,
            NativeOptions options,
            ScriptRuntime runtime,
            SelfCheck.Bound bound,
            long room) {
        ConversionState state = ConversionPipeline.LEGALIZE.run(
                new ConversionState(module.object(), method, samples, options, runtime).of(graph));
        Block block = graph.block();
        GraphPartition outcome = state.get(PassResult.PARTITION);
        PartialEvaluation.Facts facts = state.get(PassResult.FACTS);
        GraphPartition.Division division = outcome.divisions().stream()
                .filter(d -> d.block() == block)
                .findFirst()
                .get();
        List<Value> wanted = new ArrayList<>(block.results());
        Map<Integer, List<Node>> nodes = new TreeMap<>();
        for (Map.Entry<Integer, LoweredSegment> entry : division.segments().entrySet()) {
            nodes.put(
                    entry.getKey(),
                    block.nodes().stream()
                            .filter(node -> outcome.taken().contains(node)
                                    && division.stages().get(node).equals(entry.getKey()))
                            .collect(Streams.toList()));
            entry.getValue().inputs().forEach(input -> wanted.add(input.value()));
            entry.getValue().outputs().forEach(output -> wanted.add(output.value()));
        }
        Set<ByteForm> forms = division.segments().values().stream()
                .flatMap(segment -> segment.model().model().byteForms().stream())
                .collect(Collectors.toSet());
        Comparison comparison = new Comparison(
                (values, given) -> reference(graph, facts.writers(), module, samples, values, given, forms),
                module,
                facts,
                options,
                runtime,
                bound,
                room);
        Map<Value, Object> reference = comparison.original.apply(wanted, Map.of());
        // How the first segment differs whose results are not the original's.
        String grown = null;
        for (Map.Entry<Integer, LoweredSegment> entry : division.segments().entrySet()) {
            comparison.reference = reference;
            comparison.enter(entry.getValue(), nodes.get(entry.getKey()));
            boolean agrees = comparison.first(entry.getValue(), bound) == null;
            grown = agrees || grown != null ? grown : comparison.text;
            Node wrong = comparison.alone(entry.getValue(), nodes.get(entry.getKey()));
            if (wrong != null) {
                return new Divergence(wrong, comparison.text, null);
            }
        }
        comparison.reference = reference;
        if (outcome.segments().size() != division.segments().size()) {
            return new Divergence(null, comparison.summary(), "segments within branches and loops are not looked into");
        }
        return new Divergence(
                null,
                comparison.summary() + (grown == null ? "" : " (rounding grows in a part: " + grown + ")"),
                comparison.rest(graph, outcome, method, samples));
    }

    /** What nodes compute that is known and used. */
    private static List<Value> inside(List<Node> nodes, PartialEvaluation.Facts facts) {
        return nodes.stream()
                .flatMap(node -> node.outputs().stream())
                .filter(value -> facts.of(value) != null && value.isUsed())
                .collect(Streams.toList());
    }

    /** Runs segments on the original's values. */
    private static final class Comparison {
        /** What the original computes for values, where whoever reads some of them reads what is given. */
        private final BiFunction<List<Value>, Map<Value, Object>, Map<Value, Object>> original;

        private final ScriptModule module;
        private final long room;
        private final PartialEvaluation.Facts facts;
        private final NativeOptions options;
        /** Has the devices that NNAPI models run on, which need not be those of the original's. */
        private final ScriptRuntime runtime;

        private final SelfCheck.Bound bound;
        /** What is known in a call of the segment that is looked into, and how many rows it takes. */
        private PartialEvaluation.Facts known;

        private int rows;
        /** What the original gives for the values that are looked at. */
        private Map<Value, Object> reference;

        private String text = "";
        private int segments;
        private int operations;

        Comparison(
                BiFunction<List<Value>, Map<Value, Object>, Map<Value, Object>> original,
                ScriptModule module,
                PartialEvaluation.Facts facts,
                NativeOptions options,
                ScriptRuntime runtime,
                SelfCheck.Bound bound,
                long room) {
            this.room = room;
            this.original = original;
            this.module = module;
            this.facts = facts;
            this.options = options;
            this.runtime = runtime;
            this.bound = bound;
        }

        void enter(LoweredSegment segment, List<Node> nodes) {
            known = segment.known(facts, nodes.get(0));
            rows = segment.rows();
        }

        String summary() {
            return Strings.counted(segments, "NNAPI part") + ", each of " + Strings.counted(operations, "operation")
                    + " in " + (segments == 1 ? "it," : "them,");
        }

        /** The first node whose result a segment makes otherwise, or null. */
        Node first(LoweredSegment segment, SelfCheck.Bound allowed) {
            segments += allowed == bound ? 1 : 0;
            List<Tensor> results = results(segment, reference);
            for (int i = 0; i < segment.outputs().size(); i++) {
                Value value = segment.outputs().get(i).value();
                SelfCheck.Result result =
                        SelfCheck.compare(List.of((Tensor) reference.get(value)), List.of(results.get(i)), allowed);
                if (!result.agrees()) {
                    text = result.text();
                    return value.definition();
                }
            }
            return null;
        }

        /** What a segment makes of values, each as the original's node would return it. */
        private List<Tensor> results(LoweredSegment segment, Map<Value, Object> values) {
            ScriptObject part = SegmentModules.of(
                            List.of(segment.model()),
                            options.preference(),
                            options.relaxed(),
                            runtime,
                            UnaryOperator.identity(),
                            0)
                    .get(0);
            Graph graph = new Graph();
            Value self = graph.addInput(part.type(), "self");
            List<Value> arguments = new ArrayList<>();
            List<Object> given = new ArrayList<>(List.of(part));
            for (LoweredSegment.Boundary input : segment.inputs()) {
                Tensor tensor = (Tensor) values.get(input.value());
                arguments.add(graph.addInput(Type.Basic.TENSOR, null));
                given.add(Structures.cast(tensor, input.dtype(), tensor.sizes()));
            }
            NodeBuilder nodes = NodeBuilder.of(graph, graph.block()::append);
            DelegateCalls.write(graph, segment, () -> self, arguments, List.of(), nodes)
                    .forEach(graph.block()::addResult);
            Object results;
            // A part for each node, with its weights as a device packs them and what it computes in, is more than there
            // is room for.
            try (CompiledParts compiled = new CompiledParts(part)) {
                results =
                        new Interpreter(runtime.operators(), runtime.customClasses()::find).run(graph, given.toArray());
            }
            List<?> all = results instanceof Object[] several ? Arrays.asList(several) : List.of(results);
            List<Tensor> made = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                TensorFacts as = segment.outputs().get(i).facts();
                Tensor tensor = (Tensor) all.get(i);
                made.add(Structures.cast(tensor, as.dtype(), segment.rows() > 0 ? tensor.sizes() : as.shape()));
            }
            return made;
        }

        private SelfCheck.Bound single() {
            return bound == SelfCheck.Bound.REAL ? SelfCheck.Bound.OPERATION : bound;
        }

        /** A node as a segment by itself. */
        private LoweredSegment alone(Node node) {
            return SegmentLowering.lower(List.of(node), inside(List.of(node), known), known, Set.of(), options.target())
                    .require()
                    .inRows(rows);
        }

        /**
         * The first of a segment's nodes that computes something else by itself, or null. So many at a time run on the
         * original's values as these fit in, and what the later ones need of the earlier stays.
         */
        Node alone(LoweredSegment segment, List<Node> nodes) {
            Map<Value, Object> kept = new IdentityHashMap<>();
            segment.inputs().stream()
                    .map(LoweredSegment.Boundary::value)
                    .forEach(value -> kept.put(value, reference.get(value)));
            List<Node> some = new ArrayList<>();
            List<Value> values = new ArrayList<>();
            long elements = 0;
            int start = 0;
            for (int i = 0; i < nodes.size(); i++) {
                Node node = nodes.get(i);
                if (NodeLowerings.isGlue(node) || inside(List.of(node), known).isEmpty()) {
                    continue;
                }
                List<Value> own = new ArrayList<>(inside(List.of(node), known));
                alone(node).inputs().forEach(input -> own.add(input.value()));
                long more =
                        own.stream().mapToLong(value -> known.of(value).count()).sum();
                if (elements + more > room && !some.isEmpty()) {
                    Node wrong = alone(some, values, kept, nodes.subList(start, i), nodes.subList(i, nodes.size()));
                    start = i;
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
            return some.isEmpty() ? null : alone(some, values, kept, List.of(), List.of());
        }

        /**
         * @param kept what the original gives for values, in the places of which it reads these; then that for those
         *     which later nodes read
         * @param made nodes whose results those may read
         * @param later nodes
         */
        private Node alone(
                List<Node> nodes, List<Value> values, Map<Value, Object> kept, List<Node> made, List<Node> later) {
            Set<Node> coming = new HashSet<>(later);
            Set<Value> lasting = new LinkedHashSet<>(kept.keySet());
            lasting.addAll(inside(made, known));
            lasting.removeIf(value -> value.uses().stream().noneMatch(use -> coming.contains(use.user())));
            Set<Value> wanted = new LinkedHashSet<>(values);
            wanted.addAll(lasting);
            wanted.removeAll(kept.keySet());
            reference = Map.of();
            reference = original.apply(new ArrayList<>(wanted), kept);
            reference.putAll(kept);
            kept.clear();
            lasting.forEach(value -> kept.put(value, reference.get(value)));
            for (Node node : nodes) {
                operations++;
                if (first(alone(node), single()) != null) {
                    return node;
                }
            }
            return null;
        }

        /**
         * How the results of a divided graph differ whose segments return the original's values; null where they do
         * not.
         */
        String rest(Graph graph, GraphPartition division, String method, List<?> samples) {
            List<Tensor> expected = Structures.tensors(
                    graph.block().results().stream().map(reference::get).collect(Streams.toList()));
            List<ScriptObject> answers = new ArrayList<>();
            // A segment that takes some rows at a time answers for all of them at once.
            GraphPartition whole = division.with(segment -> segment.rows() == 0
                    ? segment
                    : segment.asIfOf(
                            ((Tensor) reference.get(segment.outputs().get(0).value())).size(0)));
            for (LoweredSegment segment : whole.segments()) {
                ScriptList values = new ScriptList(Type.Basic.TENSOR);
                segment.outputs()
                        .forEach(output -> values.items()
                                .add(Structures.cast(
                                        (Tensor) reference.get(output.value()), output.dtype(), output.shape())));
                answers.add(answering(values, answers.size()));
            }
            ScriptObject divided = DelegateRewriter.module(
                    graph, whole, answers, module.object(), method, options, Map.of(), List.of());
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            try {
                new ModuleWriter(
                                divided,
                                (function, arguments) ->
                                        module.interpreter().run(function, Arrays.asList(arguments), Map.of()))
                        .debugInfo(false)
                        .archive("rest")
                        .write(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            // By single operators, as the reference: programs round otherwise, and what nearly ties would be in another
            // order.
            ScriptModule rest = ScriptModule.of(TorchScriptArchive.of(file.toByteArray()), runtime);
            SelfCheck.Result compared =
                    SelfCheck.compare(expected, SelfCheck.interpreted(rest, method, samples, null), bound);
            return compared.agrees() ? null : compared.text();
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
            forward.block()
                    .addResult(NodeBuilder.of(forward, forward.block()::append).attribute(self, "values", list));
            type.addMethod(new Function(
                    name + ".forward",
                    new FunctionSchema(
                            "forward",
                            "",
                            List.of(
                                    FunctionSchema.Argument.of("self", type),
                                    FunctionSchema.Argument.of("arguments", list)),
                            List.of(FunctionSchema.Argument.of("", list)),
                            false),
                    () -> forward));
            ScriptObject object = new ScriptObject(type);
            object.set("values", values);
            return object;
        }
    }

    /**
     * What the specialised graph computes for values of its outer block, without NNAPI, where whoever reads some of
     * them reads what is given. No more runs than these need.
     */
    private static Map<Value, Object> reference(
            Graph graph,
            Map<Value, Set<Node>> writers,
            ScriptModule module,
            List<?> samples,
            List<Value> wanted,
            Map<Value, Object> instead,
            Set<ByteForm> forms) {
        if (instead.values().stream()
                        .mapToLong(value -> value instanceof Tensor tensor ? tensor.numel() : 0)
                        .sum()
                > LARGE) {
            // What was looked at before leaves the heap, which collects late what is large.
            System.gc();
        }
        Graph copy = new Graph();
        Map<Value, Value> names = new HashMap<>();
        graph.inputs().forEach(input -> names.put(input, copy.addInput(input.type(), input.name())));
        List<Object> given = new ArrayList<>();
        given.add(module.object());
        samples.forEach(sample -> given.add(Structures.copy(sample)));
        while (given.size() < graph.inputs().size()) {
            given.add(null);
        }
        Set<Value> stands = Collections.newSetFromMap(new IdentityHashMap<>());
        stands.addAll(instead.keySet());
        Set<Node> needed = NeededNodes.of(graph.block(), wanted, stands, writers);
        stands.forEach(value -> {
            names.put(value, copy.addInput(value.type(), null));
            given.add(Structures.copy(instead.get(value)));
        });
        Map<Value, Value> readers = new HashMap<>(names);
        Map<Value, Value> computed = new HashMap<>();
        BlockCopy nodes = new BlockCopy(copy, names);
        for (Node node : graph.block().nodes()) {
            if (needed.contains(node)) {
                copy.block().append(nodes.copyOf(node));
                for (Value output : node.outputs()) {
                    computed.put(output, names.get(output));
                    names.replace(output, readers.getOrDefault(output, names.get(output)));
                }
            }
        }
        Node results = copy.create(Prim.TUPLE_CONSTRUCT);
        wanted.forEach(value -> results.addInput(computed.getOrDefault(value, names.get(value))));
        Type.TupleType type = Type.TupleType.of(wanted.stream().map(Value::type).collect(Streams.toList()));
        copy.block().addResult(results.addOutput(type));
        copy.block().append(results);
        DeadCode.run(copy);
        List<FunctionSchema.Argument> arguments = new ArrayList<>();
        copy.inputs().forEach(input -> arguments.add(FunctionSchema.Argument.of("a" + arguments.size(), input.type())));
        FunctionSchema schema =
                new FunctionSchema("reference", "", arguments, List.of(FunctionSchema.Argument.of("", type)), false);
        try (ModuleRewind rewind = new ModuleRewind(module.object(), !writers.isEmpty())) {
            Function function = new Function("reference", schema, () -> copy);
            List<Object> values = ((ScriptTuple) module.interpreter()
                            .run(function, Interpreter.fit(function, given, Map.of()), new ByteFormResults(forms)))
                    .items();
            Map<Value, Object> found = new IdentityHashMap<>();
            for (int i = 0; i < values.size(); i++) {
                found.put(wanted.get(i), values.get(i));
            }
            return found;
        }
    }
}
