package org.torchnnapi.torchscript.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Calls of plain names: the forms that take types, and Python's built-in functions. */
final class SpecialForms {
    /** Built-in functions that are operators of another name. */
    private static final Map<String, String> OPERATORS = Map.ofEntries(
            Map.entry("print", "prim::Print"),
            Map.entry("min", "prim::min"),
            Map.entry("max", "prim::max"),
            Map.entry("abs", "prim::abs"),
            Map.entry("sorted", "aten::sorted"),
            Map.entry("len", "aten::len"),
            Map.entry("ord", "aten::ord"),
            Map.entry("chr", "aten::chr"),
            Map.entry("hex", "aten::hex"),
            Map.entry("oct", "aten::oct"),
            Map.entry("bin", "aten::bin"),
            Map.entry("hash", "aten::hash"),
            Map.entry("round", "aten::round"),
            Map.entry("divmod", "aten::divmod"),
            Map.entry("pow", "aten::pow"),
            Map.entry("sum", "aten::sum"),
            Map.entry("any", "aten::any"),
            Map.entry("all", "aten::all"),
            Map.entry("list", "aten::list"),
            Map.entry("dict", "aten::dict"),
            Map.entry("str", "aten::str"));

    private static final Map<String, Map.Entry<String, Type>> CASTS = Map.of(
            "int",
            Map.entry("aten::Int", Type.Basic.INT),
            "float",
            Map.entry("aten::Float", Type.Basic.FLOAT),
            "bool",
            Map.entry("aten::Bool", Type.Basic.BOOL),
            "complex",
            Map.entry("aten::Complex", Type.Basic.COMPLEX),
            "str",
            Map.entry("aten::str", Type.Basic.STRING));

    private interface Form {
        Value emit(Tree.Call call, Type hint);
    }

    private final Emitter emitter;
    private final ExpressionBuilder expressions;
    private final FunctionBuilder functions;
    private final Map<String, Form> forms = new HashMap<>();

    SpecialForms(Emitter emitter, ExpressionBuilder expressions, FunctionBuilder functions) {
        this.emitter = emitter;
        this.expressions = expressions;
        this.functions = functions;
        forms.put("annotate", (call, hint) -> annotate(call));
        forms.put(
                "uninitialized",
                (call, hint) ->
                        emitter.value(Prim.UNINITIALIZED, List.of(), emitter.type(argument(call, 0, 1)), call.at()));
        forms.put("unchecked_cast", (call, hint) -> uncheckedCast(call));
        forms.put("isinstance", (call, hint) -> isInstance(call));
        forms.put("getattr", (call, hint) -> getAttribute(call));
        forms.put("fork", (call, hint) -> fork(call));
    }

    List<Value> results(Tree.Call call, String name, Type hint) {
        Form form = forms.get(name);
        if (form != null) {
            return List.of(form.emit(call, hint));
        }
        Map.Entry<String, Type> cast = CASTS.get(name);
        if (cast != null && call.arguments().size() == 1) {
            Value value = expressions.value(call.arguments().get(0));
            return value.type() == cast.getValue()
                    ? List.of(value)
                    : expressions.calls().operator(cast.getKey(), List.of(value), Map.of(), call.at());
        }
        String operator = cast != null ? cast.getKey() : OPERATORS.get(name);
        if (operator == null) {
            throw emitter.error(call.at(), "call of unknown name " + name, "a function, class or built-in function");
        }
        return expressions
                .calls()
                .operator(
                        operator,
                        expressions.calls().arguments(call),
                        expressions.calls().keywords(call),
                        call.at());
    }

    private Tree.Expression argument(Tree.Call call, int index, int count) {
        if (call.arguments().size() != count || !call.keywords().isEmpty()) {
            throw emitter.error(call.at(), call.arguments().size() + " arguments", count + " positional ones");
        }
        return call.arguments().get(index);
    }

    private Value annotate(Tree.Call call) {
        Type type = emitter.type(argument(call, 0, 2));
        Value value = expressions.value(call.arguments().get(1), type);
        return functions.annotated(value, type, call.at());
    }

    private Value uncheckedCast(Tree.Call call) {
        Type type = emitter.type(argument(call, 0, 2));
        return emitter.value(
                Prim.UNCHECKED_CAST, List.of(expressions.value(call.arguments().get(1))), type, call.at());
    }

    private Value isInstance(Tree.Call call) {
        Value value = expressions.value(argument(call, 0, 2));
        Tree.Expression types = call.arguments().get(1);
        List<Type> members = types instanceof Tree.TupleDisplay tuple
                ? tuple.items().stream().map(emitter::type).collect(Streams.toList())
                : types instanceof Tree.ListDisplay list
                        ? list.items().stream().map(emitter::type).collect(Streams.toList())
                        : List.of(emitter.type(types));
        Node node = emitter.graph().create(Prim.IS_INSTANCE, List.of(value), Type.Basic.BOOL);
        return emitter.insert(node.attribute("types", members), call.at()).output();
    }

    private Value getAttribute(Tree.Call call) {
        Value object = expressions.value(argument(call, 0, 2));
        if (!(call.arguments().get(1) instanceof Tree.Literal literal) || !(literal.value() instanceof String name)) {
            throw emitter.error(call.arguments().get(1).at(), "an expression", "an attribute name in quotes");
        }
        return expressions.attribute(object, name, call.at());
    }

    /** The function runs at once: its body becomes the block of the node. */
    private Value fork(Tree.Call call) {
        if (!(argument(call, 0, 1) instanceof Tree.Name name)
                || !(emitter.scope().find(name.name()) instanceof FunctionBuilder.Closure closure)) {
            throw emitter.error(call.at(), "fork", "the name of a function defined just before");
        }
        Node node = emitter.insert(emitter.graph().create(Prim.FORK), call.at());
        Block block = node.addBlock();
        emitter.within(block, () -> block.addResult(functions.closure(closure)));
        return node.addOutput(new Type.FutureType(block.results().get(0).type()));
    }
}
