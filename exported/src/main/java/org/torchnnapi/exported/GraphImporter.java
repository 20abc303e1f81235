package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;

/** Makes nodes of the nodes of a program's graphs. */
final class GraphImporter {
    private static final String OPERATORS = "torch.ops.";
    private static final String PART = "torch.ops.export.access_subclass_inner_tensor.default";
    private static final String HIGHER_ORDER = "torch.ops.higher_order.";
    private static final String BATCHING = "torch._functorch.predispatch.";

    private final GraphEmitter emitter;
    private final PlaceTable places;
    private final ArgumentReader arguments;
    private final HigherOrderOperators control;
    /** Values by name in the graph that is being read. */
    private Map<String, Value> scope = new HashMap<>();
    /** What the program says of the tensors of that graph. */
    private Json tensors;
    /** Which item a vmap is at; null outside of one. */
    private Value batchIndex;

    /** Whether what is read is in a vmap over nothing. */
    private boolean batchIsEmpty;
    /** The element type that an autocast asks for; null outside of one. */
    private DType cast;

    GraphImporter(GraphEmitter emitter, PlaceTable places) {
        this.emitter = emitter;
        this.places = places;
        this.arguments = new ArgumentReader(emitter, this::find);
        this.control = new HigherOrderOperators(emitter, this);
    }

    private Value find(Json name) {
        Value value = scope.get(name.text());
        if (value == null) {
            throw name.error("a name that a node before it, or an input of this graph, defines");
        }
        return value;
    }

    ArgumentReader arguments() {
        return arguments;
    }

    /**
     * Adds a graph's nodes.
     *
     * @param inputs a value for each of the graph's inputs
     * @return its outputs
     */
    List<Value> graph(Json graph, List<Value> inputs) {
        List<Json> formals = graph.get("inputs").items();
        if (formals.size() != inputs.size()) {
            throw new ArchiveException(graph.place() + ": " + formals.size() + " inputs (expected: " + inputs.size()
                    + ", what it is called with)");
        }
        Map<String, Value> outerScope = scope;
        Json outerTensors = tensors;
        scope = new HashMap<>();
        tensors = graph.get("tensor_values");
        try {
            for (int i = 0; i < formals.size(); i++) {
                bindInput(formals.get(i), inputs.get(i));
            }
            nodes(graph.get("nodes").items());
            List<Value> outputs = new ArrayList<>();
            for (Json output : graph.get("outputs").items()) {
                outputs.add(arguments.value(output, null));
            }
            return outputs;
        } finally {
            scope = outerScope;
            tensors = outerTensors;
        }
    }

    private void nodes(List<Json> nodes) {
        for (int i = 0; i < nodes.size(); i++) {
            Json node = nodes.get(i);
            String target = node.get("target").text();
            emitter.at(places.add(node.get("metadata")));
            if (target.equals(BATCHING + "_vmap_increment_nesting")) {
                int end = batchEnd(nodes, i);
                batched(node, nodes.subList(i + 1, end));
                i = end;
            } else if (!target.equals(BATCHING + "lazy_load_decompositions")
                    && !AssertedFacts.add(emitter, arguments, node)) {
                node(node, target);
            }
        }
    }

    private static Json input(Json node, int index) {
        List<Json> inputs = node.get("inputs").items();
        if (index >= inputs.size()) {
            throw node.get("inputs").error("more than " + index + " of them");
        }
        return inputs.get(index).get("arg");
    }

    /** By how much a node changes how many vmaps it is in. */
    private static int nesting(String target) {
        return target.equals(BATCHING + "_vmap_increment_nesting")
                ? 1
                : target.equals(BATCHING + "_vmap_decrement_nesting") ? -1 : 0;
    }

    private static int batchEnd(List<Json> nodes, int start) {
        int depth = 0;
        for (int i = start; i < nodes.size(); i++) {
            depth += nesting(nodes.get(i).get("target").text());
            if (depth == 0) {
                return i;
            }
        }
        throw nodes.get(start).error("a vmap that ends; ep.run_decompositions() before saving leaves none");
    }

    /** What vmap runs for all items at once runs for one after the other. */
    private void batched(Json begin, List<Json> nodes) {
        Value count = arguments.value(input(begin, 0), Type.Basic.INT);
        List<Json> results = new ArrayList<>();
        List<Value> lists = new ArrayList<>();
        int depth = 0;
        for (Json node : nodes) {
            String target = node.get("target").text();
            depth += nesting(target);
            if (depth == 0 && target.equals(BATCHING + "_remove_batch_dim")) {
                results.add(node);
                lists.add(emitter.list(Type.Basic.TENSOR, List.of()));
            }
        }
        Map<String, Value> outer = scope;
        scope = new HashMap<>(outer);
        Set<Json> after = new HashSet<>(results);
        List<Json> body = nodes.stream().filter(node -> !after.contains(node)).collect(Streams.toList());
        if (Long.valueOf(0).equals(constant(count))) {
            List<Value> none = batchedNone(body, results);
            scope = outer;
            for (int i = 0; i < results.size(); i++) {
                bind(results.get(i), List.of(none.get(i)));
            }
            return;
        }
        control.forEach(count, index -> {
            Value outerIndex = batchIndex;
            boolean outerIsEmpty = batchIsEmpty;
            batchIndex = index;
            batchIsEmpty = false;
            nodes(body);
            batchIndex = outerIndex;
            batchIsEmpty = outerIsEmpty;
            for (int i = 0; i < lists.size(); i++) {
                Value item = arguments.value(input(results.get(i), 0), Type.Basic.TENSOR);
                control.append(lists.get(i), item);
            }
        });
        scope = outer;
        for (int i = 0; i < results.size(); i++) {
            Json node = results.get(i);
            Value dimension = arguments.value(input(node, 3), Type.Basic.INT);
            bind(node, List.of(emitter.stack(lists.get(i), dimension)));
        }
    }

    private static Object constant(Value value) {
        Node source = value.definition();
        return source != null && source.is(Prim.CONSTANT) ? source.attribute("value") : null;
    }

    /** Of no items at all the sizes and types of results are those that an item of zeros would give. */
    private List<Value> batchedNone(List<Json> body, List<Json> results) {
        boolean outer = batchIsEmpty;
        batchIsEmpty = true;
        nodes(body);
        batchIsEmpty = outer;
        List<Value> none = new ArrayList<>();
        for (Json node : results) {
            Value dimension = arguments.value(input(node, 3), Type.Basic.INT);
            Value item = arguments.value(input(node, 0), Type.Basic.TENSOR);
            none.add(emitter.slice(emitter.unsqueeze(item, dimension), dimension, 0, 0));
        }
        return none;
    }

    /** An item of a batch. */
    private Value item(Json node) {
        Value batch = arguments.value(input(node, 0), Type.Basic.TENSOR);
        Value dimension = arguments.value(input(node, 1), Type.Basic.INT);
        return batchIsEmpty ? emitter.zerosOfItem(batch, dimension) : emitter.select(batch, dimension, batchIndex);
    }

    private void bindInput(Json formal, Value value) {
        Json.Tagged tagged = formal.union();
        Json name = tagged.value();
        switch (tagged.tag()) {
            case "as_tensor", "as_custom_obj", "as_token" -> define(name.get("name"), value);
            case "as_sym_int", "as_sym_float", "as_sym_bool" -> {
                if (name.has("as_name")) {
                    define(name.get("as_name"), value);
                }
            }
            default -> {
                // A literal, which binds no name.
            }
        }
    }

    private void define(Json name, Value value) {
        if (scope.put(name.text(), value) != null) {
            throw name.error("a name that nothing else in this graph has");
        }
    }

    /** Runs part of the import with another element type for what autocast makes of operators. */
    List<Value> withCast(DType type, Json graph, List<Value> inputs) {
        DType outer = cast;
        cast = type;
        try {
            return graph(graph, inputs);
        } finally {
            cast = outer;
        }
    }

    private void node(Json node, String target) {
        if (target.startsWith(HIGHER_ORDER)) {
            bind(node, control.call(target.substring(HIGHER_ORDER.length()), node));
        } else if (target.equals(PART)) {
            bind(node, List.of(part(node)));
        } else if (target.startsWith(OPERATORS)) {
            operator(node, target);
        } else if (target.equals(BATCHING + "_add_batch_dim") && (batchIndex != null || batchIsEmpty)) {
            bind(node, List.of(item(node)));
        } else {
            List<Value> values = new ArrayList<>();
            for (Json input : node.get("inputs").items()) {
                values.add(arguments.value(input.get("arg"), null));
            }
            bind(node, List.of(SymbolicArithmetic.call(emitter, node, target, values)));
        }
    }

    /** One of the tensors that stand for one of a class of its own, which is a module with these here. */
    private Value part(Json node) {
        Value whole = arguments.value(input(node, 0), null);
        String name = input(node, 1).get("as_string").text();
        int slot = whole.type() instanceof ClassType type ? type.slot(name) : -1;
        if (slot < 0) {
            throw node.get("inputs").error("a tensor of a class with an attribute " + name + " that is a tensor");
        }
        return emitter.attribute(
                whole, name, ((ClassType) whole.type()).attributes().get(slot).type());
    }

    private void operator(Json node, String target) {
        bind(node, call(node, target, node.named()));
    }

    /**
     * Calls an operator by its name and overload.
     *
     * @param node that it is called at
     * @param target such as {@code torch.ops.aten.add.Tensor}
     */
    List<Value> call(Json node, String target, Map<String, Json> named) {
        OperatorChoice choice = OperatorChoice.of(emitter, node.get("target"), target, named);
        FunctionSchema schema = choice.schema();
        List<Value> inputs = new ArrayList<>();
        for (FunctionSchema.Argument formal : schema.arguments()) {
            Json given = named.get(formal.name());
            if (given == null && !formal.hasDefault()) {
                throw new ArchiveException(
                        node.place() + ": " + target + " without " + formal.name() + " (expected: " + schema + ")");
            }
            inputs.add(given == null ? emitter.defaultOf(formal) : arguments.value(given, formal.type()));
        }
        keepTruth(schema, named, inputs);
        if (cast != null) {
            castInputs(node, schema, inputs);
        }
        Node made = emitter.node(choice.kind(), inputs).schema(schema);
        List<Value> results = new ArrayList<>();
        for (FunctionSchema.Argument result : schema.returns()) {
            results.add(made.addOutput(result.type()));
        }
        return results;
    }

    /**
     * What is made of a truth value has its type, which TorchScript, whose numbers are no truth values, has to be told.
     */
    private void keepTruth(FunctionSchema schema, Map<String, Json> named, List<Value> inputs) {
        int type = schema.indexOf("dtype");
        if (type < 0 || inputs.get(type).type() != Type.Basic.NONE) {
            return;
        }
        boolean truth = false;
        for (FunctionSchema.Argument formal : schema.arguments()) {
            if (TypeRelations.unwrapOptional(formal.type()) == Type.Basic.TENSOR) {
                return;
            }
            Json given = named.get(formal.name());
            truth |= formal.type() == Type.Basic.NUMBER && given != null && ArgumentReader.isTruth(given);
        }
        if (truth) {
            inputs.set(type, emitter.integer(DType.BOOL.code()));
        }
    }

    /**
     * In an autocast operators take other elements than they are given, which only the results' types tell: an operator
     * whose floating inputs would give another type than the program says takes them in the type that it says.
     */
    private void castInputs(Json node, FunctionSchema schema, List<Value> inputs) {
        List<Json> outputs = node.get("outputs").items();
        if (outputs.isEmpty() || schema.indexOf("dtype") >= 0 || schema.isView()) {
            return;
        }
        Json.Tagged first = outputs.get(0).union();
        if (!first.tag().equals("as_tensor")) {
            return;
        }
        DType wanted = type(first.value().get("name").text());
        if (wanted == null || !wanted.isFloating()) {
            return;
        }
        boolean differs = false;
        boolean same = false;
        for (Json input : node.get("inputs").items()) {
            Json argument = input.get("arg");
            if (argument.has("as_tensor")) {
                DType type = type(argument.get("as_tensor").get("name").text());
                if (type != null && type.isFloating()) {
                    differs |= type != wanted;
                    same |= type == wanted && wanted == DType.FLOAT32;
                }
            }
        }
        if (!differs || same) {
            return;
        }
        for (int i = 0; i < inputs.size(); i++) {
            Value value = inputs.get(i);
            if (value.type() == Type.Basic.TENSOR
                    && TypeRelations.unwrapOptional(schema.arguments().get(i).type()) == Type.Basic.TENSOR) {
                inputs.set(i, emitter.to(value, wanted));
            }
        }
    }

    /** The element type that the program says a tensor has, or null. */
    private DType type(String tensor) {
        return ElementTypes.orNull(tensors.get(tensor).get("dtype"));
    }

    /** Names a node's results. */
    private void bind(Json node, List<Value> results) {
        List<Json> outputs = node.get("outputs").items();
        if (outputs.size() == 1 && outputs.get(0).has("as_tensors")) {
            List<Json> names = outputs.get(0).get("as_tensors").items();
            if (results.size() == 1 && results.get(0).type() instanceof Type.ListType list) {
                Node unpack = emitter.node(Prim.LIST_UNPACK, List.of(results.get(0)));
                for (Json name : names) {
                    define(name.get("name"), unpack.addOutput(list.element()));
                }
            } else {
                requireCount(node, names.size(), results.size());
                for (int i = 0; i < names.size(); i++) {
                    define(names.get(i).get("name"), results.get(i));
                }
            }
            return;
        }
        requireCount(node, outputs.size(), results.size());
        for (int i = 0; i < outputs.size(); i++) {
            Json.Tagged output = outputs.get(i).union();
            Value result = results.get(i);
            switch (output.tag()) {
                case "as_none" -> {
                    // A result that is undefined.
                }
                case "as_tensor", "as_custom_obj", "as_token" ->
                    define(output.value().get("name"), result);
                case "as_sym_int" -> define(output.value().get("as_name"), number(result, Type.Basic.INT));
                case "as_sym_float" -> define(output.value().get("as_name"), number(result, Type.Basic.FLOAT));
                case "as_sym_bool" -> define(output.value().get("as_name"), number(result, Type.Basic.BOOL));
                default -> throw outputs.get(i).error("as_tensor, as_tensors, as_none or a symbol");
            }
        }
    }

    private static void requireCount(Json node, int wanted, int made) {
        // Results that nobody uses may be left out at the end.
        if (wanted > made) {
            throw new ArchiveException(node.place() + ": " + wanted + " results (expected: " + made + ", as "
                    + node.get("target").text() + " has)");
        }
    }

    private Value number(Value value, Type type) {
        return value.type() == type ? value : emitter.call(Conversions.operator(type), value);
    }
}
