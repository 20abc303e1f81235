package org.torchnnapi.torchscript.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Calls of plain names: the forms that take types, and Python's built-in functions. */
final class SpecialForms {
    /** Python's built-in functions that are operators of their name. */
    private static final Set<String> BUILT_IN = Set.of(
            "sorted", "len", "ord", "chr", "hex", "oct", "bin", "hash", "round", "divmod", "pow", "sum", "any", "all",
            "list", "dict");

    /** Those that are so of numbers, beside an operator of tensors. */
    private static final Set<String> OF_NUMBERS = Set.of("min", "max", "abs");

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
        Type cast = Conversions.named(name);
        if (cast != null && call.arguments().size() == 1) {
            Value value = expressions.value(call.arguments().get(0));
            return value.type() == cast
                    ? List.of(value)
                    : expressions.calls().operator(Conversions.operator(cast), List.of(value), Map.of(), call.at());
        }
        String operator = cast != null ? Conversions.operator(cast) : builtIn(name);
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

    /** The operator that a built-in function is, or null. */
    private static String builtIn(String name) {
        if (name.equals("print")) {
            return "prim::Print";
        }
        return BUILT_IN.contains(name) ? "aten::" + name : OF_NUMBERS.contains(name) ? "prim::" + name : null;
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
