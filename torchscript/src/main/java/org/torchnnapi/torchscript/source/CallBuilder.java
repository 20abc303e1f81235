package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Calls of operators, functions, methods and classes. */
final class CallBuilder {
    /** Attribute of an operator node without schema: why there is none. */
    static final String UNRESOLVED = "unresolved";

    /** What torch.jit.optimize_for_inference makes of weights of convolutions; PyTorch writes it without them. */
    private static final String LOST_WEIGHT = "prim::ConstantMKLDNNTensor";
    /**
     * Operators of early files whose names PyTorch replaces as it reads them, and those that source calls by a name of
     * Python's.
     */
    private static final Map<String, String> RENAMED = Map.of(
            "prim::shape",
            "aten::size",
            "aten::autograd.grad",
            "aten::grad",
            "aten::autograd.backward",
            "aten::backward");

    private final Emitter emitter;
    private final ExpressionBuilder expressions;
    private final SpecialForms specialForms;
    private final SchemaMatcher matcher;

    CallBuilder(Emitter emitter, ExpressionBuilder expressions, FunctionBuilder functions) {
        this.emitter = emitter;
        this.expressions = expressions;
        this.specialForms = new SpecialForms(emitter, expressions, functions);
        this.matcher = new SchemaMatcher(emitter);
    }

    SchemaMatcher matcher() {
        return matcher;
    }

    /** The results of a call: one, or none or several of an operator. */
    List<Value> results(Tree.Call call, Type hint) {
        if (call.callee() instanceof Tree.Name name && emitter.scope().find(name.name()) == null) {
            return specialForms.results(call, name.name(), hint);
        }
        String dotted = TypeReader.dotted(call.callee());
        boolean isGlobal = dotted != null
                && emitter.scope().find(firstName(dotted)) == null
                && !firstName(dotted).equals(ConstantReader.TABLE);
        if (isGlobal
                && dotted.equals("torch.device")
                && call.keywords().isEmpty()
                && call.arguments().size() == 1
                && call.arguments().get(0) instanceof Tree.Literal literal
                && literal.value() instanceof String name) {
            return List.of(emitter.constant(device(name, call.at()), Type.Basic.DEVICE, call.at()));
        }
        if (isGlobal && dotted.startsWith("torch.")) {
            return operator("aten::" + dotted.substring("torch.".length()), arguments(call), keywords(call), call.at());
        }
        if (isGlobal && dotted.startsWith("ops.")) {
            int dot = dotted.indexOf('.', "ops.".length());
            if (dot < 0) {
                throw emitter.error(call.at(), dotted, "ops.<namespace>.<operator>");
            }
            String kind = dotted.substring("ops.".length(), dot) + "::" + dotted.substring(dot + 1);
            return operator(kind, arguments(call), keywords(call), call.at());
        }
        Function function = expressions.function(call.callee());
        if (function != null) {
            return List.of(function(function, call));
        }
        if (isGlobal) {
            return List.of(construct(call, dotted));
        }
        if (call.callee() instanceof Tree.Attribute method) {
            return method(call, expressions.value(method.object()), method.name(), hint);
        }
        throw emitter.error(call.at(), "a call", "an operator, function, class or method");
    }

    private static String firstName(String dotted) {
        int dot = dotted.indexOf('.');
        return dot < 0 ? dotted : dotted.substring(0, dot);
    }

    private TorchDevice device(String name, Position at) {
        try {
            return TorchDevice.parse(name);
        } catch (IllegalArgumentException e) {
            throw emitter.error(at, "device " + name, "a type such as cpu, with an optional :index");
        }
    }

    List<Value> arguments(Tree.Call call) {
        List<Value> arguments = new ArrayList<>(call.arguments().size());
        for (Tree.Expression argument : call.arguments()) {
            arguments.add(expressions.value(argument));
        }
        return arguments;
    }

    Map<String, Value> keywords(Tree.Call call) {
        Map<String, Value> keywords = new LinkedHashMap<>();
        for (Tree.Keyword keyword : call.keywords()) {
            if (keywords.put(keyword.name(), expressions.value(keyword.value())) != null) {
                throw emitter.error(call.at(), "keyword argument " + keyword.name() + " twice", "distinct names");
            }
        }
        return keywords;
    }

    /**
     * An operator. One that is unknown, or has no overload for the arguments, becomes a node without schema, so that
     * its reader can say what it lacks; running it fails.
     */
    List<Value> operator(String name, List<Value> arguments, Map<String, Value> keywords, Position at) {
        String kind = RENAMED.getOrDefault(name, name);
        for (Function upgrader : emitter.loader().upgraders(kind)) {
            SchemaMatcher.Match match = matcher.match(List.of(upgrader.schema()), arguments, keywords, false);
            if (match != null) {
                return List.of(callFunction(upgrader, match.emit(emitter, at), at));
            }
        }
        List<FunctionSchema> schemas = emitter.loader().overloads(kind);
        SchemaMatcher.Match match = matcher.match(schemas, arguments, keywords);
        String mismatch = match != null ? "" : matcher.mismatch();
        if (match == null && !schemas.isEmpty()) {
            match = matcher.match(emitter.loader().derived(kind), arguments, keywords);
        }
        if (kind.equals(LOST_WEIGHT)) {
            throw emitter.error(
                    at,
                    kind + ", which stands for a weight that PyTorch did not save and cannot load either",
                    "the model as it was before torch.jit.optimize_for_inference");
        }
        if (schemas.isEmpty() && kind.startsWith("prim::")) {
            // Nodes of those kinds are the IR's own, with attributes and blocks that an operator has not.
            throw emitter.error(at, "unknown operator " + kind, "an operator this runtime has");
        }
        Node node = emitter.graph().create(kind);
        if (match != null) {
            for (Value input : match.emit(emitter, at)) {
                node.addInput(input);
            }
            node.schema(match.schema());
            for (Type result : match.results()) {
                node.addOutput(result);
            }
        } else {
            arguments.forEach(node::addInput);
            keywords.values().forEach(node::addInput);
            if (!keywords.isEmpty()) {
                node.attribute("keywords", List.copyOf(keywords.keySet()));
            }
            emitter.markUnresolved();
            node.attribute(UNRESOLVED, schemas.isEmpty() ? "unknown operator" : "no overload fits: " + mismatch);
            unknownResults(schemas).forEach(node::addOutput);
        }
        return emitter.insert(node, at).outputs();
    }

    private static List<Type> unknownResults(List<FunctionSchema> schemas) {
        return schemas.isEmpty()
                ? List.of(Type.Basic.TENSOR)
                : schemas.get(0).returns().stream()
                        .map(r -> TypeRelations.substitute(r.type(), Map.of()))
                        .collect(Streams.toList());
    }

    private Value function(Function function, Tree.Call call) {
        return callFunction(
                function,
                fit(function.schema(), function.qualifiedName(), arguments(call), keywords(call), call.at()),
                call.at());
    }

    private Value callFunction(Function function, List<Value> inputs, Position at) {
        Node node = emitter.graph().create(Prim.CALL_FUNCTION, inputs, result(function.schema()));
        return emitter.insert(node.attribute("function", function), at).output();
    }

    private List<Value> fit(
            FunctionSchema schema, String name, List<Value> arguments, Map<String, Value> keywords, Position at) {
        SchemaMatcher.Match match = matcher.match(List.of(schema), arguments, keywords);
        if (match == null) {
            throw emitter.error(at, "call of " + name + ": " + matcher.mismatch(), schema.toString());
        }
        return match.emit(emitter, at);
    }

    private static Type result(FunctionSchema schema) {
        return schema.returns().get(0).type();
    }

    private List<Value> method(Tree.Call call, Value object, String name, Type hint) {
        if (object.type() instanceof ClassType || object.type() == Type.Basic.ANY) {
            return List.of(callMethod(object, name, arguments(call), keywords(call), call.at()));
        }
        if (name.equals("tolist") && call.arguments().isEmpty()) {
            return List.of(
                    emitter.value(Prim.TO_LIST, List.of(object), hint == null ? Type.Basic.ANY : hint, call.at()));
        }
        List<Value> inputs = new ArrayList<>();
        inputs.add(object);
        inputs.addAll(arguments(call));
        return operator("aten::" + name, inputs, keywords(call), call.at());
    }

    /** {@code (object).name(..)}; custom classes say nothing about their methods, so those take and give anything. */
    Value callMethod(Value object, String name, List<Value> arguments, Map<String, Value> keywords, Position at) {
        List<Value> inputs = new ArrayList<>();
        inputs.add(object);
        inputs.addAll(arguments);
        Type type = Type.Basic.ANY;
        if (object.type() instanceof ClassType owner && owner.kind() != ClassType.Kind.CUSTOM) {
            Function method = owner.method(name);
            if (method == null) {
                throw emitter.error(at, "method " + name, "a method of " + owner.name());
            }
            inputs = fit(method.schema(), method.qualifiedName(), inputs, keywords, at);
            type = result(method.schema());
        } else if (!keywords.isEmpty()) {
            throw emitter.error(at, "keyword arguments " + keywords.keySet(), "positional arguments of a custom class");
        }
        Node node = emitter.graph().create(Prim.CALL_METHOD, inputs, type);
        return emitter.insert(node.attribute("name", name), at).output();
    }

    /** {@code __torch__.C.__new__(__torch__.C)}, {@code __torch__.C(..)} and {@code __torch__.SomeTuple(..)}. */
    private Value construct(Tree.Call call, String dotted) {
        String suffix = ".__new__";
        boolean isNew = dotted.endsWith(suffix);
        Type type = emitter.loader().type(isNew ? dotted.substring(0, dotted.length() - suffix.length()) : dotted);
        if (type instanceof Type.TupleType tuple && !isNew) {
            return namedTuple(call, tuple);
        }
        if (!(type instanceof ClassType)) {
            throw emitter.error(
                    call.at(),
                    "call of unknown name " + dotted,
                    "a function or class of the archive, torch.<op> or ops.<ns>.<op>");
        }
        Value object = emitter.value(Prim.CREATE_OBJECT, List.of(), type, call.at());
        if (!isNew) {
            callMethod(object, "__init__", arguments(call), keywords(call), call.at());
        }
        return object;
    }

    private Value namedTuple(Tree.Call call, Type.TupleType tuple) {
        Map<String, Object> defaults = emitter.loader().fieldDefaults(tuple.name());
        List<FunctionSchema.Argument> fields = new ArrayList<>();
        for (int i = 0; i < tuple.elements().size(); i++) {
            String field = tuple.fields().get(i);
            fields.add(new FunctionSchema.Argument(
                    field,
                    tuple.elements().get(i),
                    false,
                    defaults.containsKey(field),
                    defaults.get(field),
                    false,
                    null));
        }
        FunctionSchema schema =
                new FunctionSchema(tuple.name(), "", fields, List.of(FunctionSchema.Argument.of("", tuple)), false);
        List<Value> inputs = fit(schema, tuple.name(), arguments(call), keywords(call), call.at());
        return emitter.value(Prim.TUPLE_CONSTRUCT, inputs, tuple, call.at());
    }
}
