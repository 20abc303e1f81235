package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.range.NumberRange;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Puts calls of NNAPI modules into a graph in the place of the nodes that they compute, and makes a module of it. */
final class DelegateRewriter {
    static final String NAME = "__torch__.torchnnapi.SegmentedModule";
    /** The attributes that hold NNAPI's models are called so, and numbered. */
    private static final String NNAPI = "nnapi_part_";

    private static final String OUT_OF_RANGE =
            "%s has other numbers (expected: %s, as NNAPI's whole numbers have 32 bits)";

    private final Graph graph;
    private final GraphPartition division;
    private final ScriptObject original;
    private final ClassType type = new ClassType(NAME, ClassType.Kind.MODULE);
    private final Map<String, Object> attributes = new LinkedHashMap<>();
    private final RetainedMembers kept;
    /** Numbers of the method's arguments whose sizes NNAPI modules are told. */
    private final List<Integer> told;

    private final Map<Value, GuardEmitter.Asked> asked;
    /** What was checked to have 32 bits. */
    private final Set<Value> ranged = Collections.newSetFromMap(new IdentityHashMap<>());

    private final List<Node> order = new ArrayList<>();
    private final Set<Node> placed = Collections.newSetFromMap(new IdentityHashMap<>());
    /** What NNAPI modules return, by the values that it stands for. */
    private final Map<Value, Value> returned = new IdentityHashMap<>();

    private final NodeBuilder calls;

    private Value self;

    private DelegateRewriter(
            Graph graph,
            GraphPartition division,
            ScriptObject original,
            List<Integer> told,
            Map<Value, GuardEmitter.Asked> asked) {
        this.told = told;
        this.asked = asked;
        this.graph = graph;
        this.calls = NodeBuilder.withLooseConstants(graph, this::place);
        this.division = division;
        this.original = original;
        this.kept = new RetainedMembers(type, original);
    }

    /**
     * @param graph divided as {@code division} says; changed
     * @param segments the NNAPI modules in the order of their divisions and stages
     * @param original the module that the graph was made of, whose attributes the rest goes on using
     * @param method the name of the method that it was made of
     * @param asked what tensors among the arguments must be, which is looked at before all else
     * @param told numbers of arguments that the NNAPI modules take behind the tensors of their models
     * @throws Refused if the rest of the graph, or a kept method, does with the original module what cannot be done
     *     here
     */
    static ScriptObject module(
            Graph graph,
            GraphPartition division,
            List<ScriptObject> segments,
            ScriptObject original,
            String method,
            NativeOptions options,
            Map<Value, GuardEmitter.Asked> asked,
            List<Integer> told) {
        return new DelegateRewriter(graph, division, original, told, asked)
                .run(segments, original.type().method(method).schema(), options);
    }

    private ScriptObject run(List<ScriptObject> segments, FunctionSchema forward, NativeOptions options) {
        self = graph.inputs().get(0);
        kept.stateOfModules();
        self.type(type);
        kept.usesOf(self);
        List<Node> gone = new ArrayList<>(division.taken());
        int number = firstPart(original);
        int first = number;
        for (GraphPartition.Division block : division.divisions()) {
            number = divide(block, segments.subList(number - first, segments.size()), number, gone);
        }
        gone.forEach(DelegateRewriter::detach);
        attributesOfCustomConstants(graph.block());
        GraphVerifier.verify(graph);
        type.addMethod(new Function(NAME + "." + options.name(), kept.signature(forward, options.name()), () -> graph));
        if (options.fallback()) {
            kept.method(forward.name(), LoadedModel.fallbackOf(options.name()));
        }
        options.kept().stream().sorted().forEach(name -> kept.method(name, name));
        attributes.putAll(kept.attributes());
        ScriptObject object = new ScriptObject(type);
        attributes.forEach(object::set);
        return object;
    }

    /**
     * The number of the first NNAPI module to be added to a module, which may have some already: the converted ones of
     * its other methods.
     */
    static int firstPart(ScriptObject module) {
        return module.type().attributes().stream()
                .map(ClassType.Attribute::name)
                .filter(name -> name.matches(NNAPI + "[0-9]{1,6}"))
                .mapToInt(name -> Integer.parseInt(name.substring(NNAPI.length())) + 1)
                .max()
                .orElse(0);
    }

    /** Lets a node, and what stands in it, read nothing. */
    private static void detach(Node node) {
        node.removeAllInputs();
        for (Block block : node.blocks()) {
            block.nodes().forEach(DelegateRewriter::detach);
            block.returns().removeAllInputs();
        }
    }

    private void declare(String name, Type attribute, Object value) {
        type.addAttribute(new ClassType.Attribute(name, attribute, false, false));
        attributes.put(name, value);
    }

    /** Puts the nodes of a block in the order of their stages, and calls in the places of those that NNAPI computes. */
    private int divide(GraphPartition.Division divided, List<ScriptObject> segments, int first, List<Node> gone) {
        Block block = divided.block();
        order.clear();
        ranged.clear();
        Map<Integer, List<Node>> rest = new TreeMap<>();
        List<Node> glue = new ArrayList<>();
        for (Node node : List.copyOf(block.nodes())) {
            block.remove(node);
            if (NodeLowerings.isGlue(node)) {
                glue.add(node);
            } else if (!division.taken().contains(node)) {
                rest.computeIfAbsent(divided.stages().get(node), stage -> new ArrayList<>())
                        .add(node);
            }
        }
        if (block == graph.block()) {
            asked.forEach(this::require);
        }
        int number = first;
        Set<Integer> stages = new TreeSet<>(rest.keySet());
        stages.addAll(divided.segments().keySet());
        for (int stage : stages) {
            LoweredSegment segment = divided.segments().get(stage);
            if (segment != null) {
                call(segment, NNAPI + number, segments.get(number++ - first));
            }
            for (Node node : rest.getOrDefault(stage, List.of())) {
                place(node);
            }
        }
        block.returns().inputs().forEach(this::placeSource);
        order.forEach(block::append);
        // What is in no place: nodes that NNAPI computes, and what only they read.
        glue.stream().filter(node -> !placed.contains(node)).forEach(gone::add);
        return number;
    }

    private void place(Node node) {
        if (!placed.add(node)) {
            return;
        }
        node.inputs().forEach(this::placeSource);
        node.blocks().forEach(this::placeOuter);
        order.add(node);
    }

    /** Constants and lists stand before whatever reads them first. */
    private void placeSource(Value value) {
        Node from = value.definition();
        if (from != null && NodeLowerings.isGlue(from) && from.owner() == null) {
            place(from);
        }
    }

    private void placeOuter(Block block) {
        for (Node node : block.nodes()) {
            node.inputs().forEach(this::placeSource);
            node.blocks().forEach(this::placeOuter);
        }
        block.results().forEach(this::placeSource);
    }

    private void require(Value argument, GuardEmitter.Asked wanted) {
        placeReaders(argument);
        raise(
                calls.differ(calls.dtype(argument), wanted.dtype().code()),
                argument,
                "is of another type",
                wanted.dtype().torchName());
        if (wanted.shape() != null) {
            raise(
                    calls.haveOtherSizes(argument, wanted.shape()),
                    argument,
                    "has another shape",
                    Arrays.toString(wanted.shape()));
        }
    }

    private void raise(Value wrong, Value argument, String found, String expected) {
        raise(
                wrong,
                name(argument) + " " + found + " (expected: " + expected
                        + ", as in the example that the model was converted for)");
    }

    private void raise(Value wrong, String message) {
        calls.check(wrong, message);
    }

    /** What enters NNAPI with 32 bits has no more. */
    private void requireRange(Value entering, Value value) {
        NumberRange range = division.checked().get(entering);
        if (range == null || !ranged.add(value)) {
            return;
        }
        Value within = calls.tensor("aten::clamp", value, (long) range.low(), (long) range.high());
        raise(
                calls.not(calls.call("aten::equal", Type.Basic.BOOL, value, within)),
                String.format(Locale.ROOT, OUT_OF_RANGE, named(entering), range.text()));
    }

    /** What enters NNAPI from an argument, or from where it is made. */
    static String named(Value value) {
        Node made = value.definition();
        if (made != null && made.is(Prim.GET_ATTR)) {
            return "attribute " + made.attribute("name");
        }
        boolean argument = made == null && value.parameterOf().parent() == null
                || made != null
                        && (made.is(Prim.LIST_UNPACK)
                                || made.is(Prim.TUPLE_UNPACK)
                                || made.is(Prim.TUPLE_INDEX)
                                || made.is(Prim.UNCHECKED_CAST)
                                || NodeBuilder.isItem(made));
        return argument ? name(value) : "what " + (made == null ? "a loop" : made.kind()) + " gives";
    }

    /** What reads a tensor from an argument, which stands in no place yet. */
    private void placeReaders(Value item) {
        if (item.definition() != null) {
            Value from = item.definition().input(0);
            placeReaders(from);
            if (item.definition().is(Prim.UNCHECKED_CAST)) {
                placeTests(from);
            }
            place(item.definition());
        }
    }

    /** What raises where a value is None that the example gave. */
    private void placeTests(Value optional) {
        for (Value.Use use : optional.uses()) {
            if (use.user().is("aten::__is__") && use.user().owner() == null) {
                place(use.user());
                use.user().output().uses().stream()
                        .map(Value.Use::user)
                        .filter(test -> test.is(Prim.IF))
                        .forEach(this::place);
            }
        }
    }

    private static String name(Value argument) {
        Node reader = argument.definition();
        if (reader == null) {
            return "argument " + argument.name();
        }
        if (reader.is(Prim.UNCHECKED_CAST)) {
            return name(reader.input(0));
        }
        return name(reader.input(0)) + "["
                + (reader.inputs().size() > 1 ? reader.input(1).definition().attribute("value") : argument.index())
                + "]";
    }

    /** An argument that may be None, which is a tensor where its sizes are open: the graph has asked. */
    private Value given(Value argument) {
        return argument.type() instanceof Type.OptionalType ? calls.given(argument) : argument;
    }

    private void call(LoweredSegment segment, String name, ScriptObject module) {
        declare(name, module.type(), module);
        List<Value> arguments = new ArrayList<>();
        for (LoweredSegment.Boundary boundary : segment.inputs()) {
            placeSource(boundary.value());
            Value value = returned.getOrDefault(boundary.value(), boundary.value());
            requireRange(boundary.value(), value);
            arguments.add(boundary.dtype() != boundary.facts().dtype() ? calls.to(value, boundary.dtype()) : value);
        }
        List<Value> others = told.stream()
                .map(argument -> given(graph.inputs().get(argument + 1)))
                .collect(Streams.toList());
        Supplier<Value> placed =
                () -> calls.attribute(self, name, module.type()).name(name);
        List<Value> made = DelegateCalls.write(graph, segment, placed, arguments, others, calls);
        for (int i = 0; i < made.size(); i++) {
            LoweredSegment.Boundary boundary = segment.outputs().get(i);
            Value value = made.get(i).name(boundary.value().name());
            if (segment.rows() == 0
                    && !Arrays.equals(boundary.shape(), boundary.facts().shape())) {
                value = calls.reshape(value, boundary.facts().shape());
            }
            if (boundary.dtype() != boundary.facts().dtype()) {
                value = calls.to(value, boundary.facts().dtype());
            }
            if (segment.model().outputLayouts().get(i) == OperandLayout.CHANNELS_LAST && isViewed(boundary.value())) {
                value = calls.contiguous(value, MemoryFormat.CONTIGUOUS.ordinal());
            }
            returned.put(boundary.value(), value);
            for (Value.Use use : List.copyOf(boundary.value().uses())) {
                if (!division.taken().contains(use.user())) {
                    use.user().setInput(use.index(), value);
                }
            }
        }
    }

    /** Whether TorchScript goes on with the value, which may view it: images come from NNAPI as N, H, W, C. */
    private boolean isViewed(Value value) {
        return value.uses().stream()
                .anyMatch(use -> !division.taken().contains(use.user())
                        && use.user() != graph.block().returns());
    }

    /** A name that neither the new module has, nor the original, whose attributes may come beside. */
    private String freeName(String begin) {
        int number = 0;
        while (type.slot(begin + number) >= 0 || original.type().slot(begin + number) >= 0) {
            number++;
        }
        return begin + number;
    }

    /** Objects such as packed parameters are attributes, as code cannot spell them. */
    private void attributesOfCustomConstants(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            if (node.is(Prim.CONSTANT) && node.attribute("value") instanceof CustomObject) {
                String name = freeName("packed_");
                declare(name, node.output().type(), node.attribute("value"));
                node.output()
                        .replaceAllUsesWith(NodeBuilder.before(node)
                                .attribute(self, name, node.output().type()));
                node.destroy();
            }
            node.blocks().forEach(this::attributesOfCustomConstants);
        }
    }
}
