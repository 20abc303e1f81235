package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Makes a module of a program: its tensors as attributes, its graph as the method {@code forward}. */
final class ProgramImporter {
    static final String FORWARD = "forward";

    private final ExportedArchive archive;
    private final String name;
    private final ClassNames names;
    private final GraphEmitter emitter;
    private final Json program;
    private final Json graphModule;
    private final Json signature;
    private final Json call;
    private TensorModules classes;
    private DeclaredInputs declared;
    private Value self;
    /** Values of the user's arguments, in order. */
    private final List<Value> leaves = new ArrayList<>();
    /** What guards call them. */
    private final List<String> guardNames = new ArrayList<>();

    private final List<FunctionSchema.Argument> formals = new ArrayList<>();
    /** Attributes and arguments by the name that the graph has for them. */
    private final Map<String, Value> targets = new HashMap<>();

    /** @param names those that classes of the file have so far */
    ProgramImporter(ExportedArchive archive, String name, OperatorFacts operators, ClassNames names) {
        this.archive = archive;
        this.name = name;
        this.names = names;
        this.emitter = new GraphEmitter(operators, archive.zip().budget());
        this.program = archive.program(name);
        this.graphModule = program.get("graph_module");
        this.signature = graphModule.get("signature");
        this.call = rootCall();
    }

    private Json rootCall() {
        for (Json entry : graphModule.get("module_call_graph").items()) {
            if (entry.get("fqn").textOr("").isEmpty() && !entry.get("signature").isNull()) {
                return entry.get("signature");
            }
        }
        throw graphModule.get("module_call_graph").error("the call of the module itself");
    }

    ModuleSource.Made make() {
        Json graph = graphModule.get("graph");
        List<Json> specs = signature.get("input_specs").items();
        if (specs.size() != graph.get("inputs").items().size()) {
            throw signature
                    .get("input_specs")
                    .error(graph.get("inputs").items().size() + " of them, one for each input of " + "the graph, not "
                            + specs.size());
        }
        classes = new TensorModules(classNames(graph), names);
        addTensors(specs);
        self = emitter.graph().addInput(classes.root().type(), "self");
        formals.add(FunctionSchema.Argument.of("self", classes.root().type()));
        takeArguments(specs, graph.get("tensor_values"));
        List<Value> inputs = inputs(specs, graph);
        GraphImporter importer = new GraphImporter(emitter, new PlaceTable("models/" + name + ".json"));
        List<Value> outputs = importer.graph(graph, inputs);
        Value result = finish(outputs);
        emitter.graph().block().addResult(result);
        FunctionSchema schema =
                new FunctionSchema(FORWARD, "", formals, List.of(FunctionSchema.Argument.of("", result.type())), false);
        classes.root()
                .type()
                .addMethod(new Function(classes.root().type().name() + "." + FORWARD, schema, emitter::graph));
        return new ModuleSource.Made(classes.root(), null, declared == null ? Map.of() : Map.of(FORWARD, declared));
    }

    /** Python's classes by path, as the nodes tell where they come from. */
    private static Map<String, String> classNames(Json graph) {
        Map<String, String> names = new HashMap<>();
        for (Json node : graph.get("nodes").items()) {
            String stack = node.get("metadata").get("nn_module_stack").textOr("");
            for (String level : stack.split(";")) {
                String[] parts = level.split(",", 3);
                if (parts.length == 3) {
                    names.putIfAbsent(parts[1], parts[2]);
                }
            }
        }
        return names;
    }

    private void addTensors(List<Json> specs) {
        TensorTable weights = archive.weights(name);
        TensorTable constants = archive.constants(name);
        for (Json spec : specs) {
            Json.Tagged tagged = spec.union();
            Json value = tagged.value();
            switch (tagged.tag()) {
                case "parameter" -> add(value.get("parameter_name"), weights, true, false);
                case "buffer" -> {
                    boolean persistent = value.get("persistent").isNull()
                            || value.get("persistent").flag();
                    add(value.get("buffer_name"), persistent ? weights : constants, false, true);
                }
                case "tensor_constant" -> add(value.get("tensor_constant_name"), constants, false, false);
                case "user_input", "constant_input" -> {
                    // Given by the caller.
                }
                case "custom_obj" ->
                    throw spec.error("tensors; an object of a class that is written in C++ or Python is not read");
                default ->
                    throw spec.error(
                            "parameter, buffer, tensor_constant, user_input or constant_input, not " + tagged.tag());
            }
        }
    }

    private void add(Json tensorName, TensorTable table, boolean isParameter, boolean isBuffer) {
        Map<String, Tensor> parts = table.parts(tensorName.text());
        if (parts != null) {
            parts.forEach((part, tensor) -> classes.add(tensorName.text() + "." + part, tensor, false, true));
            return;
        }
        Tensor tensor = table.find(tensorName.text());
        if (tensor == null) {
            throw tensorName.error("a tensor that the archive has");
        }
        classes.add(tensorName.text(), tensor, isParameter, isBuffer);
    }

    /** Declares the arguments, takes them apart and checks them. */
    private void takeArguments(List<Json> specs, Json tensors) {
        List<Type> types = new ArrayList<>();
        List<Json> users = new ArrayList<>();
        for (Json spec : specs) {
            Json.Tagged tagged = spec.union();
            if (tagged.tag().equals("user_input")) {
                types.add(type(tagged.value().get("arg")));
                users.add(spec);
            } else if (tagged.tag().equals("constant_input")) {
                types.add(literalType(tagged.value().get("value")));
                users.add(spec);
            }
        }
        Json inSpec = call.get("in_spec");
        Structure structure = Structure.parse(inSpec, graphModule.get("treespec_namedtuple_fields"));
        List<Structure> halves = structure.children();
        if (structure.form() != Structure.Form.TUPLE
                || halves.size() != 2
                || !isOfArguments(halves)
                || structure.leaves() != users.size()) {
            throw inSpec.error("a tuple of positional and keyword arguments with " + users.size() + " leaves");
        }
        List<Json> names = call.get("forward_arg_names").items();
        Set<String> used = new HashSet<>(Set.of("self"));
        java.util.Iterator<Type> typesLeft = types.iterator();
        List<Structure> arguments = new ArrayList<>();
        List<String> shown = new ArrayList<>();
        List<String> guarded = new ArrayList<>();
        for (int half = 0; half < 2; half++) {
            List<Structure> children = halves.get(half).children();
            for (int i = 0; i < children.size(); i++) {
                String given = half == 1
                        ? String.valueOf(halves.get(1).keys().get(i))
                        : i < names.size() ? names.get(i).text() : "arg_" + i;
                String unique = Names.identifier(given);
                for (int k = 0; !used.add(unique); k++) {
                    unique = Names.identifier(given) + "_" + k;
                }
                Type type = children.get(i).type(typesLeft, classes);
                formals.add(FunctionSchema.Argument.of(unique, type));
                emitter.graph().addInput(type, unique);
                arguments.add(children.get(i));
                shown.add(unique);
                guarded.add("L[" + given + "]");
            }
        }
        declared = declared(users, tensors, structure, types);
        typesLeft = types.iterator();
        for (int i = 0; i < arguments.size(); i++) {
            take(arguments.get(i), emitter.graph().inputs().get(i + 1), shown.get(i), guarded.get(i), typesLeft);
        }
        guard(users, tensors);
    }

    private DeclaredInputs declared(List<Json> users, Json tensors, Structure structure, List<Type> leaves) {
        List<DeclaredInputs.Input> inputs = new ArrayList<>();
        for (Json user : users) {
            Json argument = user.union().value().get("arg");
            if (argument.has("as_tensor")) {
                DeclaredInputs.Input input =
                        input(tensors.get(argument.get("as_tensor").get("name").text()));
                if (input == null) {
                    return null;
                }
                inputs.add(input);
            }
        }
        SampleInputs samples = archive.samples(name);
        boolean tensorsAlone = formals.stream().skip(1).allMatch(formal -> formal.type() == Type.Basic.TENSOR);
        return new DeclaredInputs(inputs, tensorsAlone, () -> samples.arguments(structure, leaves, classes));
    }

    /** Null where there are no such elements, which the program may still pass on. */
    private static DeclaredInputs.Input input(Json meta) {
        DType type = ElementTypes.orNull(meta.get("dtype"));
        List<Json> dimensions = meta.get("sizes").items();
        int[] sizes = new int[dimensions.size()];
        DeclaredInputs.OpenSize[] open = new DeclaredInputs.OpenSize[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            Json size = dimensions.get(i);
            open[i] = size.has("as_int")
                    ? null
                    : SizeGuards.open(size.get("as_expr").get("expr_str").text());
            Json number = open[i] != null ? size.get("as_expr").get("hint").get("as_int") : size.get("as_int");
            boolean known = number.isInteger() && number.integer() >= 0 && number.integer() <= Integer.MAX_VALUE;
            sizes[i] = known ? (int) number.integer() : -1;
        }
        return type == null ? null : new DeclaredInputs.Input(type, sizes, open);
    }

    private void take(Structure structure, Value value, String shown, String guarded, java.util.Iterator<Type> types) {
        structure.takeApart(emitter, value, "argument " + shown, types, classes, new Structure.Visitor() {
            private final List<Object> path = new ArrayList<>();

            @Override
            public void leaf(Value leaf) {
                StringBuilder text = new StringBuilder(guarded);
                path.forEach(key -> text.append('[').append(key).append(']'));
                leaves.add(leaf);
                guardNames.add(text.toString());
            }

            @Override
            public void enter(Object key) {
                path.add(key);
            }

            @Override
            public void leave() {
                path.remove(path.size() - 1);
            }
        });
    }

    /** Positional arguments are a tuple or list, keyword arguments a dictionary. */
    private static boolean isOfArguments(List<Structure> halves) {
        Structure positional = halves.get(0);
        Structure keywords = halves.get(1);
        return (positional.form() == Structure.Form.TUPLE || positional.form() == Structure.Form.LIST)
                && (keywords.form() == Structure.Form.DICT
                        || keywords.form() == Structure.Form.LIST && keywords.leaves() == 0);
    }

    private void guard(List<Json> users, Json tensors) {
        SizeGuards guards = new SizeGuards(emitter);
        for (int i = 0; i < users.size(); i++) {
            Json.Tagged spec = users.get(i).union();
            Value leaf = leaves.get(i);
            String told = "argument " + guardNames.get(i).substring(2).replaceFirst("]", "");
            if (spec.tag().equals("constant_input")) {
                literal(spec.value().get("value"), leaf, told);
                continue;
            }
            Json.Tagged argument = spec.value().get("arg").union();
            if (argument.tag().equals("as_tensor")) {
                guards.tensor(
                        told,
                        guardNames.get(i),
                        leaf,
                        tensors.get(argument.value().get("name").text()));
            } else if (argument.tag().equals("as_sym_int") && argument.value().has("as_name")) {
                guards.number(
                        graphModule
                                .get("graph")
                                .get("sym_int_values")
                                .get(argument.value().get("as_name").text()),
                        leaf);
            }
        }
        guards.finish(program.get("range_constraints"), program.get("guards_code"));
    }

    /** The program holds for one value of what is no tensor. */
    private void literal(Json wanted, Value given, String told) {
        if (given.type() == Type.Basic.NONE) {
            return;
        }
        Value value = new ArgumentReader(emitter, name -> null).value(wanted, null);
        emitter.raiseIf(
                emitter.call("aten::ne", given, value),
                told + ": {} (expected: {}, the value in the example)",
                given,
                value);
    }

    private static Type type(Json argument) {
        Json.Tagged tagged = argument.union();
        return switch (tagged.tag()) {
            case "as_tensor" -> Type.Basic.TENSOR;
            case "as_sym_int" -> Type.Basic.INT;
            case "as_sym_float" -> Type.Basic.FLOAT;
            case "as_sym_bool" -> Type.Basic.BOOL;
            default -> literalType(argument);
        };
    }

    private static Type literalType(Json value) {
        return switch (value.union().tag()) {
            case "as_none" -> Type.Basic.NONE;
            case "as_int" -> Type.Basic.INT;
            case "as_float" -> Type.Basic.FLOAT;
            case "as_bool" -> Type.Basic.BOOL;
            case "as_string" -> Type.Basic.STRING;
            default -> throw value.error("a tensor, a number, a truth value, a text or none");
        };
    }

    /** A value for each input of the graph. */
    private List<Value> inputs(List<Json> specs, Json graph) {
        List<Value> inputs = new ArrayList<>();
        int user = 0;
        for (Json spec : specs) {
            Json.Tagged tagged = spec.union();
            Json value = tagged.value();
            Value input = switch (tagged.tag()) {
                case "parameter" -> attribute(value.get("parameter_name").text());
                case "buffer" -> attribute(value.get("buffer_name").text());
                case "tensor_constant" ->
                    attribute(value.get("tensor_constant_name").text());
                default -> leaves.get(user++);
            };
            inputs.add(input);
            if (tagged.tag().equals("user_input")) {
                Json argument = value.get("arg");
                if (argument.has("as_tensor")) {
                    targets.put(argument.get("as_tensor").get("name").text(), input);
                }
            }
        }
        return inputs;
    }

    private final Map<String, Value> attributes = new LinkedHashMap<>();

    private Value attribute(String tensor) {
        Value known = attributes.get(tensor);
        if (known == null) {
            known = classes.get(emitter, self, tensor);
            attributes.put(tensor, known);
        }
        return known;
    }

    /** Writes what the program says is changed, and puts the results together. */
    private Value finish(List<Value> outputs) {
        List<Json> specs = signature.get("output_specs").items();
        if (specs.size() != outputs.size()) {
            throw signature
                    .get("output_specs")
                    .error(outputs.size() + " of them, one for each output of the graph, not " + specs.size());
        }
        List<Value> results = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            Json.Tagged spec = specs.get(i).union();
            switch (spec.tag()) {
                case "user_output", "loss_output" -> results.add(outputs.get(i));
                case "buffer_mutation" -> write(spec.value().get("buffer_name"), outputs.get(i));
                case "parameter_mutation" -> write(spec.value().get("parameter_name"), outputs.get(i));
                case "user_input_mutation" -> {
                    Value target =
                            targets.get(spec.value().get("user_input_name").text());
                    if (target == null) {
                        throw spec.value().get("user_input_name").error("the name of a tensor among the arguments");
                    }
                    write(target, outputs.get(i));
                }
                case "token" -> {
                    // Orders effects, which come in order here.
                }
                default -> throw specs.get(i).error("a result or a mutation, not " + spec.tag());
            }
        }
        Json outSpec = call.get("out_spec");
        Structure structure = Structure.parse(outSpec, graphModule.get("treespec_namedtuple_fields"));
        if (structure.leaves() != results.size()) {
            throw outSpec.error(results.size() + " leaves, one for each result, not " + structure.leaves());
        }
        return structure.putTogether(emitter, results.iterator(), classes);
    }

    private void write(Json tensorName, Value value) {
        Value target = attributes.get(tensorName.text());
        if (target == null) {
            throw tensorName.error("a tensor among the inputs");
        }
        write(target, value);
    }

    private void write(Value target, Value value) {
        emitter.call("aten::copy_", target, value);
    }
}
