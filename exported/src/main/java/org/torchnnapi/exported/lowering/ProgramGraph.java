package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.exported.Names;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.passes.Freeze;
import org.torchnnapi.torchscript.support.ModuleRewind;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** One program: the calls that a run of a method made, on tensors by name. */
final class ProgramGraph {
    /** What a call may set attributes to that are no tensors. */
    private enum SetValues {
        NONE,
        /** What the next call sets them to, too. */
        REPEATED,
        /** Another run has told. */
        ANY
    }

    private final NamedTensors attributes;
    private final ProgramRecorder recorder;
    private List<String> argumentNames;
    /** Tensors of the program, or values that are none. */
    private final Map<String, Object> leaves = new LinkedHashMap<>();

    private final List<Object> results = new ArrayList<>();
    private final List<String> quantized = new ArrayList<>();
    private Object value;
    private Map<String, Object> settings;
    private List<RecordedCall> calls;
    private String inSpec;
    private String outSpec;
    private final Map<String, GraphTensor> weights = new LinkedHashMap<>();
    private final Map<String, GraphTensor> constants = new LinkedHashMap<>();
    private final GraphNames names = new GraphNames();
    private final List<SizeCalls.Leaf> tensors = new ArrayList<>();
    /** Null where no size is left open. */
    private SizeConditions conditions;

    private ProgramGraph(NamedTensors attributes, Set<Tensor> changing, UnbackedNumbers unbacked) {
        this.attributes = attributes;
        this.recorder = new ProgramRecorder(attributes, changing, unbacked);
    }

    /** @see ProgramFile#of */
    static ProgramGraph of(ScriptModule module, String method, List<Object> arguments, OpenSizes open) {
        Set<Integer> views = new TreeSet<>();
        while (true) {
            Set<Integer> known = new TreeSet<>(views);
            Supplier<UnbackedNumbers> plain = () -> new UnbackedNumbers(known, List.of());
            ProgramGraph graph =
                    recorded(module, method, arguments, open.isEmpty() ? SetValues.REPEATED : SetValues.NONE, plain);
            OpenSizes all = graph.recorder.unbacked().areTaken()
                    ? open.withUnbacked(graph.unbacked().size())
                    : open;
            SizedProgram.Recorder recorder = (given, answers, numbers) ->
                    recorded(module, method, given, SetValues.ANY, () -> new UnbackedNumbers(known, answers, numbers));
            if (all.isEmpty() || !views.addAll(SizedProgram.open(graph, arguments, all, recorder))) {
                graph.finish();
                return graph;
            }
        }
    }

    private static ProgramGraph recorded(
            ScriptModule module,
            String method,
            List<Object> arguments,
            SetValues allowed,
            Supplier<UnbackedNumbers> unbacked) {
        Function forward = module.method(method);
        if (forward == null) {
            throw new IllegalArgumentException("method: " + method + " (expected: one of the module's)");
        }
        NamedTensors attributes = new NamedTensors(module.object());
        Set<Tensor> changing = Set.of();
        // What a call changes it reads otherwise the next time, which is known after one.
        for (int run = 0; ; run++) {
            try (ModuleRewind rewind = module.rewind(method)) {
                ProgramGraph graph = new ProgramGraph(attributes, changing, unbacked.get());
                graph.record(module, forward, arguments);
                Set<Tensor> changed = attributes.changed();
                if (run > 0 || changed.isEmpty()) {
                    List<String> set = allowed == SetValues.ANY ? List.of() : attributes.unwritable();
                    if (!set.isEmpty()
                            && !(allowed == SetValues.REPEATED
                                    && graph.isRepeated(module, forward, arguments, unbacked.get()))) {
                        set.forEach(graph::setsWhatIsNoTensor);
                    }
                    graph.require();
                    return graph;
                }
                changing = changed;
            }
        }
    }

    /** Whether the next call does the same, and sets everything to what it is, which follows from no argument. */
    private boolean isRepeated(
            ScriptModule module, Function forward, List<Object> arguments, UnbackedNumbers unbacked) {
        if (CallDependence.any(settings.values().toArray(), recorder::varies)) {
            return false;
        }
        NamedTensors then = new NamedTensors(module.object());
        ProgramGraph next = new ProgramGraph(then, Set.of(), unbacked);
        next.record(module, forward, arguments);
        return then.isUnchanged() && SizedProgram.haveSameCalls(this, next);
    }

    private void setsWhatIsNoTensor(String place) {
        recorder.problem(
                place,
                SourceRange.NONE,
                "an attribute that a call sets or joins with another; a program keeps tensors of one size each");
    }

    private static List<String> names(Function forward, int count) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            names.add(
                    i < forward.schema().arguments().size()
                            ? forward.schema().arguments().get(i).name()
                            : "arg_" + i);
        }
        return names;
    }

    private void record(ScriptModule module, Function forward, List<Object> arguments) {
        argumentNames = names(forward, arguments.size());
        List<Object> all = new ArrayList<>();
        all.add(module.object());
        for (int i = 0; i < arguments.size(); i++) {
            Object argument = copied(arguments.get(i));
            all.add(argument);
            TreeSpec.leaves(argumentNames.get(i), argument, this::takeLeaf);
            guardNames("L['" + argumentNames.get(i) + "']", argument);
        }
        inSpec = TreeSpec.arguments(all.subList(1, all.size()));
        Object result = run(module, forward, Interpreter.fit(forward, all, Map.of()));
        value = result;
        settings = attributes.settings();
        outSpec = TreeSpec.text(result);
        List<Tensor> tensors = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        TreeSpec.leaves("", result, (path, value) -> {
            values.add(value);
            if (value instanceof Tensor tensor) {
                tensors.add(tensor);
            }
        });
        AttributeWrites.add(recorder, attributes.assigned(), tensors);
        values.forEach(value -> results.add(
                value instanceof Tensor tensor ? border("result " + results.size(), tensor) : given(value)));
    }

    /** What guards call the tensors of an argument. */
    private void guardNames(String path, Object value) {
        if (value instanceof Tensor tensor) {
            tensors.add(new SizeCalls.Leaf(recorder.named(tensor), path));
        }
        TreeSpec.parts(
                value,
                (key, part) -> guardNames(path + (key instanceof String ? "['" + key + "']" : "[" + key + "]"), part));
    }

    /** Numbers of the recording are those of open sizes. */
    void leaveOpen(OpenSizes open, SizeConditions ofSizes, SizeCalls numbers) {
        conditions = ofSizes;
        List<UnbackedNumber> found = open.unbacked().isEmpty() ? List.of() : unbacked();
        calls = numbers.among(recorder.calls(), results, found, ofSizes.checks());
    }

    /** How numbers compared, in the order of the run. */
    List<Boolean> answers() {
        return recorder.unbacked().answers();
    }

    /** Whether another run sets the same to what is no tensor. */
    boolean setsSame(ProgramGraph other) {
        return settings.keySet().equals(other.settings.keySet())
                && settings.keySet().stream()
                        .allMatch(path -> NamedTensors.isSame(settings.get(path), other.settings.get(path)));
    }

    /** Whether both runs gave the same, and changed nothing. */
    boolean givesSame(ProgramGraph other) {
        return NamedTensors.isSame(value, other.value)
                && recorder.calls().stream().noneMatch(RecordedCall::lasts)
                && other.recorder.calls().stream().noneMatch(RecordedCall::lasts);
    }

    /** Numbers that elements decide, in the order of the run. */
    List<UnbackedNumber> unbacked() {
        return recorder.unbacked().found();
    }

    List<SizeCalls.Leaf> tensors() {
        return tensors;
    }

    List<NumberFacts.Fact> facts() {
        return recorder.facts().all();
    }

    List<RecordedCall> recordedCalls() {
        return recorder.calls();
    }

    Map<String, Object> leaves() {
        return leaves;
    }

    List<Object> results() {
        return results;
    }

    private Object run(ScriptModule module, Function forward, Object[] fitted) {
        try {
            return module.interpreter().run(inlined(module, forward), fitted, recorder);
        } catch (ScriptException e) {
            if (e.getCause() instanceof UnwritableProgramException told) {
                throw told;
            }
            throw e;
        }
    }

    /** Joined with what it calls, so that each node knows its module; as it is where that is too large. */
    private static Function inlined(ScriptModule module, Function forward) {
        try {
            Graph graph = Freeze.inlined(module.object(), forward.name());
            return new Function(forward.qualifiedName(), forward.schema(), () -> graph);
        } catch (IllegalArgumentException tooLarge) {
            return forward;
        }
    }

    private Object given(Object value) {
        boolean real = value instanceof Double number && !Double.isNaN(number);
        if (!(value == null || value instanceof Long || real || value instanceof Boolean)) {
            recorder.problem(
                    "result " + value,
                    SourceRange.NONE,
                    "neither tensor, number nor None, which PyTorch does not load");
            return null;
        }
        return value;
    }

    /** A tensor that the program takes or gives, which is noted if it is quantized. */
    private Object border(String what, Tensor tensor) {
        if (tensor.dtype().isQuantized()) {
            String quantization = tensor.quantization() instanceof Quantization.PerTensor one
                    ? "scale " + one.scale() + " and zero point " + one.zeroPoint()
                    : "a scale and zero point a channel";
            quantized.add(what + ": " + GraphTensor.plain(tensor.dtype()).torchName() + " of " + quantization);
        }
        return recorder.named(tensor);
    }

    /** The quantized tensors among arguments and results, in words. */
    List<String> quantized() {
        return quantized;
    }

    private void takeLeaf(Object path, Object value) {
        String name = names.unused(Names.identifier(String.valueOf(path)));
        if (value instanceof Tensor tensor) {
            GraphTensor argument = recorder.argument(name, tensor);
            argument.name(name);
            leaves.put(name, argument);
            border("argument " + name, tensor);
        } else if (value == null
                || value instanceof Long
                || value instanceof Double
                || value instanceof Boolean
                || value instanceof String) {
            leaves.put(name, value);
        } else {
            recorder.problem("argument " + path, SourceRange.NONE, "neither tensor, number, text nor None");
        }
    }

    /** Of the program's own memory: a call may write to its arguments. */
    static Object copied(Object value) {
        return mapped(
                value,
                tensor -> tensor.copy(
                        tensor.isContiguous(MemoryFormat.CHANNELS_LAST) && !tensor.isContiguous()
                                ? MemoryFormat.CHANNELS_LAST
                                : MemoryFormat.CONTIGUOUS));
    }

    /** A value with other tensors in the place of those in it. */
    static Object mapped(Object value, UnaryOperator<Tensor> change) {
        if (value instanceof Tensor tensor) {
            return change.apply(tensor);
        }
        List<Object> items = new ArrayList<>();
        TreeSpec.parts(value, (key, part) -> items.add(mapped(part, change)));
        if (value instanceof ScriptTuple tuple) {
            return new ScriptTuple(items, tuple.type());
        }
        if (value instanceof ScriptList list) {
            return new ScriptList(list.elementType(), items);
        }
        if (value instanceof ScriptDict dict) {
            ScriptDict made = new ScriptDict(dict.keyType(), dict.valueType());
            List<Object> keys = new ArrayList<>(dict.items().keySet());
            for (int i = 0; i < items.size(); i++) {
                made.items().put(keys.get(i), items.get(i));
            }
            return made;
        }
        return value;
    }

    /** Tells what is in the way. */
    private void require() {
        Map<String, String> problems = recorder.problems();
        if (!problems.isEmpty()) {
            StringJoiner text = new StringJoiner("; ");
            problems.forEach((what, why) -> text.add(what + why));
            throw new UnwritableProgramException(
                    text + " (expected: operators that PyTorch has today, the same ones whatever the elements are)");
        }
    }

    /** Leaves out what nobody uses, and names the rest. */
    private void finish() {
        calls = SubGraph.used(calls == null ? recorder.calls() : calls, results);
        Set<GraphTensor> needed = new LinkedHashSet<>();
        calls.forEach(call -> call.eachArgument(needed::add));
        results.forEach(result -> {
            if (result instanceof GraphTensor tensor) {
                needed.add(tensor);
            }
        });
        Set<Storage> shared = Collections.newSetFromMap(new IdentityHashMap<>());
        attributes.declared().forEach(tensor -> {
            shared.add(tensor.stored().storage());
            addStored(weights, tensor);
        });
        for (GraphTensor tensor : needed) {
            if (tensor.origin() == GraphTensor.Origin.CONSTANT) {
                // Only within weights or within constants do tensors show one memory.
                addStored(shared.contains(tensor.stored().storage()) ? weights : constants, tensor);
            } else if (tensor.stored() != null) {
                addStored(weights, tensor);
            }
        }
        names.name(calls);
    }

    private void addStored(Map<String, GraphTensor> stored, GraphTensor tensor) {
        GraphTensor known = stored.putIfAbsent(tensor.path(), tensor);
        if (known == null) {
            String prefix = tensor.origin() == GraphTensor.Origin.PARAMETER ? "p_" : stored == weights ? "b_" : "c_";
            tensor.name(names.unused(prefix + Names.identifier(tensor.path().replace('.', '_'))));
        }
    }

    Map<String, GraphTensor> weights() {
        return weights;
    }

    Map<String, GraphTensor> constants() {
        return constants;
    }

    /** @see RecordedCall#imports */
    void imports(Set<String> modules) {
        calls.forEach(call -> call.imports(modules));
    }

    Map<String, Object> json() {
        List<Object> inputs = new ArrayList<>();
        List<Object> inputSpecs = new ArrayList<>();
        Map<String, Object> tensors = new LinkedHashMap<>();
        weights.forEach((path, tensor) -> {
            boolean parameter = tensor.origin() == GraphTensor.Origin.PARAMETER;
            inputs.add(tensor.argument());
            tensors.put(tensor.name(), tensor.meta());
            inputSpecs.add(
                    parameter
                            ? JsonText.object(
                                    "parameter", JsonText.object("arg", tensor.named(), "parameter_name", path))
                            : JsonText.object(
                                    "buffer",
                                    JsonText.object("arg", tensor.named(), "buffer_name", path, "persistent", true)));
        });
        constants.forEach((path, tensor) -> {
            inputs.add(tensor.argument());
            tensors.put(tensor.name(), tensor.meta());
            inputSpecs.add(JsonText.object(
                    "tensor_constant", JsonText.object("arg", tensor.named(), "tensor_constant_name", path)));
        });
        leaves.forEach((name, value) -> {
            inputs.add(ArgumentWriter.plain(value));
            if (value instanceof GraphTensor tensor) {
                tensors.put(name, tensor.meta());
                inputSpecs.add(JsonText.object("user_input", JsonText.object("arg", tensor.argument())));
            } else {
                inputSpecs.add(JsonText.object(
                        "constant_input", JsonText.object("name", name, "value", ArgumentWriter.plain(value))));
            }
        });
        List<Object> outputs = new ArrayList<>();
        List<Object> outputSpecs = new ArrayList<>();
        for (Object result : results) {
            outputs.add(ArgumentWriter.plain(result));
            outputSpecs.add(JsonText.object("user_output", JsonText.object("arg", ArgumentWriter.plain(result))));
        }
        Map<String, Object> graph = SubGraph.json(inputs, calls, outputs, tensors, false, attributes.classNames());
        Map<String, Object> call = JsonText.object(
                "fqn",
                "",
                "signature",
                JsonText.object(
                        "inputs",
                        List.of(),
                        "outputs",
                        List.of(),
                        "in_spec",
                        inSpec,
                        "out_spec",
                        outSpec,
                        "forward_arg_names",
                        argumentNames));
        Map<String, Object> module = JsonText.object(
                "graph",
                graph,
                "signature",
                JsonText.object("input_specs", inputSpecs, "output_specs", outputSpecs),
                "module_call_graph",
                List.of(call),
                "metadata",
                JsonText.object(),
                "treespec_namedtuple_fields",
                JsonText.object());
        return JsonText.object(
                "graph_module",
                module,
                "opset_version",
                JsonText.object("aten", 10),
                "range_constraints",
                conditions == null ? JsonText.object() : conditions.ranges(),
                "schema_version",
                JsonText.object("major", 8, "minor", 20),
                "verifiers",
                List.of("TRAINING"),
                "torch_version",
                "2.14.1",
                "guards_code",
                conditions == null ? List.of() : conditions.guards());
    }
}
