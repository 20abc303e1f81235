package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/** Expressions to nodes, innermost and leftmost first. */
final class ExpressionBuilder {
    private final Emitter emitter;
    private final CallBuilder calls;

    ExpressionBuilder(Emitter emitter, FunctionBuilder functions) {
        this.emitter = emitter;
        this.calls = new CallBuilder(emitter, this, functions);
    }

    CallBuilder calls() {
        return calls;
    }

    Value value(Tree.Expression expression) {
        return value(expression, null);
    }

    /** @param hint the type wanted, which decides what an empty or mixed list holds, or null */
    Value value(Tree.Expression expression, Type hint) {
        if (expression instanceof Tree.Literal literal) {
            return emitter.constant(literal.value(), RuntimeTypes.of(literal.value()), literal.at());
        }
        if (expression instanceof Tree.Name name) {
            return variable(name);
        }
        if (expression instanceof Tree.Attribute attribute) {
            return attribute(attribute);
        }
        if (expression instanceof Tree.Index index) {
            return item(index, hint);
        }
        if (expression instanceof Tree.Slice slice) {
            return slice(slice);
        }
        if (expression instanceof Tree.ListDisplay list) {
            return list(list, hint);
        }
        if (expression instanceof Tree.TupleDisplay tuple) {
            return tuple(tuple, hint);
        }
        if (expression instanceof Tree.DictDisplay dict) {
            return dict(dict, hint);
        }
        return single(calls.results((Tree.Call) expression, hint), expression.at());
    }

    /** Several results of one call are a tuple where one value is asked for, and none at all are None. */
    private Value single(List<Value> results, Position at) {
        if (results.size() == 1) {
            return results.get(0);
        }
        if (results.isEmpty()) {
            return emitter.constant(null, Type.Basic.NONE, at);
        }
        return emitter.value(
                Prim.TUPLE_CONSTRUCT,
                results,
                Type.TupleType.of(results.stream().map(Value::type).collect(Streams.toList())),
                at);
    }

    /** The values that {@code a, b = expression} assigns. */
    List<Value> parts(Tree.Expression expression, int count) {
        List<Value> parts;
        if (expression instanceof Tree.TupleDisplay tuple) {
            parts = tuple.items().stream().map(this::value).collect(Streams.toList());
        } else {
            parts = expression instanceof Tree.Call call ? calls.results(call, null) : List.of(value(expression));
            if (parts.size() == 1 && SchemaMatcher.isOpen(parts.get(0)) && count > 1) {
                Node unknown = parts.get(0).definition();
                for (int i = 1; i < count; i++) {
                    unknown.addOutput(Type.Basic.TENSOR);
                }
                parts = unknown.outputs();
            } else if (parts.size() == 1) {
                parts = unpack(parts.get(0), count, expression.at());
            }
        }
        if (parts.size() != count) {
            throw emitter.error(expression.at(), parts.size() + " values", count + " for the variables left of '='");
        }
        return parts;
    }

    private List<Value> unpack(Value value, int count, Position at) {
        Type type = value.type();
        if (isFreshTuple(value)) {
            return value.definition().inputs();
        }
        boolean isList = type instanceof Type.ListType;
        Node node = emitter.node(isList ? Prim.LIST_UNPACK : Prim.TUPLE_UNPACK, List.of(value), at);
        if (type instanceof Type.TupleType tuple) {
            tuple.elements().forEach(node::addOutput);
        } else if (isList || type == Type.Basic.TENSOR || type == Type.Basic.ANY) {
            for (int i = 0; i < count; i++) {
                node.addOutput(isList ? ((Type.ListType) type).element() : type);
            }
        } else {
            throw emitter.error(at, "a value of type " + type.text(), "a tuple or list of " + count);
        }
        return node.outputs();
    }

    private Value variable(Tree.Name name) {
        Object bound = emitter.scope().find(name.name());
        if (bound instanceof Value value) {
            return value;
        }
        throw emitter.error(
                name.at(),
                bound == null ? "unknown name " + name.name() : "function " + name.name(),
                "a variable with a value");
    }

    private Value attribute(Tree.Attribute attribute) {
        String dotted = TypeReader.dotted(attribute);
        String root = dotted == null ? null : dotted.substring(0, dotted.indexOf('.'));
        boolean ofConstant =
                root != null && root.equals(ConstantReader.TABLE) && !(attribute.object() instanceof Tree.Name);
        if (root == null || ofConstant || emitter.scope().find(root) != null) {
            return attribute(value(attribute.object()), attribute.name(), attribute.at());
        }
        if (root.equals(ConstantReader.TABLE)) {
            Object constant = ConstantReader.constant(emitter.loader(), emitter.entry(), attribute, dotted);
            return emitter.constant(constant, RuntimeTypes.of(constant), attribute.at());
        }
        int dot = dotted.lastIndexOf('.');
        if (emitter.loader().type(dotted.substring(0, dot)) instanceof Type.EnumType type) {
            return emitter.constant(
                    ConstantReader.member(emitter.entry(), attribute, type, attribute.name()), type, attribute.at());
        }
        throw emitter.error(
                attribute.at(), "unknown name " + dotted, "a variable, CONSTANTS.c<n> or a member of an enum");
    }

    /** {@code object.name}, also as {@code getattr(object, "name")}. */
    Value attribute(Value object, String name, Position at) {
        Type type = object.type();
        if (type instanceof ClassType owner) {
            int slot = owner.slot(name);
            if (slot >= 0) {
                Node node = emitter.graph()
                        .create(
                                Prim.GET_ATTR,
                                List.of(object),
                                owner.attributes().get(slot).type());
                return emitter.insert(node.attribute("name", name), at).output().name(name);
            }
            if (owner.constants().containsKey(name)) {
                Object constant = owner.constants().get(name);
                return emitter.constant(constant, RuntimeTypes.of(constant), at);
            }
            throw emitter.error(at, "attribute " + name, "an attribute of " + owner.name());
        }
        if (type instanceof Type.TupleType tuple && tuple.fields().contains(name)) {
            return tupleItem(object, tuple, tuple.fields().indexOf(name), at);
        }
        if (type instanceof Type.EnumType member && (name.equals("name") || name.equals("value"))) {
            boolean isName = name.equals("name");
            Type result = isName || member.values().isEmpty()
                    ? Type.Basic.STRING
                    : RuntimeTypes.of(member.values().get(0));
            return emitter.value(isName ? Prim.ENUM_NAME : Prim.ENUM_VALUE, List.of(object), result, at);
        }
        if (type instanceof Type.Basic) {
            return single(calls.operator("prim::" + name, List.of(object), Map.of(), at), at);
        }
        throw emitter.error(at, "attribute " + name, "an attribute of " + type.text());
    }

    /** Whether the parts of a tuple are at hand, so that taking it apart needs no node. */
    private static boolean isFreshTuple(Value value) {
        return value.definition() != null && value.definition().is(Prim.TUPLE_CONSTRUCT);
    }

    private Value tupleItem(Value object, Type.TupleType tuple, int index, Position at) {
        if (isFreshTuple(object)) {
            return object.definition().input(index);
        }
        Value position = emitter.constant((long) index, Type.Basic.INT, at);
        return emitter.value(
                Prim.TUPLE_INDEX, List.of(object, position), tuple.elements().get(index), at);
    }

    /** The item at a place that is not known before, of a tuple whose items have a type in common. */
    private Value variableItem(Value object, Type.TupleType tuple, Tree.Index index) {
        Type type = tuple.elements().get(0);
        for (Type element : tuple.elements()) {
            type = type == null ? null : TypeRelations.unify(type, element);
        }
        Value position = calls.matcher()
                .convert(value(index.index()), Type.Basic.INT, index.index().at(), "a tuple index");
        return emitter.value(
                Prim.TUPLE_INDEX, List.of(object, position), type == null ? Type.Basic.ANY : type, index.at());
    }

    /** @param hint what a module of a container is declared as, which calls of its methods hang on */
    private Value item(Tree.Index index, Type hint) {
        Value object = value(index.object());
        if (object.type() instanceof Type.TupleType tuple) {
            int size = tuple.elements().size();
            if (!(index.index() instanceof Tree.Literal) && size > 0) {
                return variableItem(object, tuple, index);
            }
            if (!(index.index() instanceof Tree.Literal literal)
                    || !(literal.value() instanceof Long at)
                    || at < -size
                    || at >= size) {
                throw emitter.error(
                        index.index().at(), "a tuple index", "a constant from " + -size + " to " + (size - 1));
            }
            return tupleItem(object, tuple, (int) (at < 0 ? at + size : at), index.at());
        }
        Value position = value(index.index());
        if (object.type() instanceof ClassType owner && owner.kind() == ClassType.Kind.MODULE) {
            Value part = single(
                    calls.operator("prim::ModuleContainerIndex", List.of(object, position), Map.of(), index.at()),
                    index.at());
            if (hint instanceof ClassType) {
                part.type(hint);
            }
            return part;
        }
        if (object.type() == Type.Basic.TENSOR) {
            Value dim = emitter.constant(0L, Type.Basic.INT, index.at());
            return single(
                    calls.operator("aten::select", List.of(object, dim, position), Map.of(), index.at()), index.at());
        }
        return single(calls.operator("aten::__getitem__", List.of(object, position), Map.of(), index.at()), index.at());
    }

    /** Items of a tuple as a tuple of their own. */
    private Value slice(Tree.Slice slice) {
        Value object = value(slice.object());
        if (!(object.type() instanceof Type.TupleType tuple)) {
            throw emitter.error(slice.at(), "a slice of " + object.type(), "a slice of a tuple");
        }
        int size = tuple.elements().size();
        int from = bound(slice.from(), 0, size);
        int to = bound(slice.to(), from, size);
        List<Value> items = new ArrayList<>();
        for (int i = from; i < to; i++) {
            items.add(tupleItem(object, tuple, i, slice.at()));
        }
        return emitter.value(
                Prim.TUPLE_CONSTRUCT, items, Type.TupleType.of(tuple.elements().subList(from, to)), slice.at());
    }

    private int bound(Tree.Expression bound, int from, int to) {
        if (bound instanceof Tree.Literal literal && literal.value() instanceof Long at && at >= from && at <= to) {
            return at.intValue();
        }
        throw emitter.error(bound.at(), "a bound of a slice", "a constant from " + from + " to " + to);
    }

    private Value list(Tree.ListDisplay list, Type hint) {
        Type wanted = hint == null ? null : TypeRelations.unwrapOptional(hint);
        Type element = wanted instanceof Type.ListType t ? t.element() : null;
        List<Value> items = new ArrayList<>();
        for (Tree.Expression item : list.items()) {
            items.add(value(item, element));
        }
        if (element == null) {
            element = common(items, Type.Basic.TENSOR);
        } else {
            for (int i = 0; i < items.size(); i++) {
                items.set(
                        i,
                        calls.matcher()
                                .convert(
                                        items.get(i),
                                        element,
                                        list.items().get(i).at(),
                                        "list element"));
            }
        }
        return emitter.value(Prim.LIST_CONSTRUCT, items, Type.list(element), list.at());
    }

    private static Type common(List<Value> items, Type otherwise) {
        Type type = items.isEmpty() ? otherwise : items.get(0).type();
        for (Value item : items) {
            Type both = TypeRelations.unify(type, item.type());
            type = both == null ? Type.Basic.ANY : both;
        }
        return type;
    }

    private Value tuple(Tree.TupleDisplay tuple, Type hint) {
        Type wanted = hint == null ? null : TypeRelations.unwrapOptional(hint);
        List<Value> items = new ArrayList<>();
        for (int i = 0; i < tuple.items().size(); i++) {
            Type element =
                    wanted instanceof Type.TupleType t && i < t.elements().size()
                            ? t.elements().get(i)
                            : null;
            items.add(value(tuple.items().get(i), element));
        }
        return emitter.value(
                Prim.TUPLE_CONSTRUCT,
                items,
                Type.TupleType.of(items.stream().map(Value::type).collect(Streams.toList())),
                tuple.at());
    }

    private Value dict(Tree.DictDisplay dict, Type hint) {
        Type.DictType wanted = hint != null && TypeRelations.unwrapOptional(hint) instanceof Type.DictType t ? t : null;
        List<Value> inputs = new ArrayList<>();
        List<Value> keys = new ArrayList<>();
        List<Value> values = new ArrayList<>();
        for (int i = 0; i < dict.keys().size(); i++) {
            keys.add(value(dict.keys().get(i), wanted == null ? null : wanted.key()));
            values.add(value(dict.values().get(i), wanted == null ? null : wanted.value()));
            inputs.add(keys.get(i));
            inputs.add(values.get(i));
        }
        Type type = wanted != null
                ? wanted
                : new Type.DictType(common(keys, Type.Basic.STRING), common(values, Type.Basic.TENSOR));
        return emitter.value(Prim.DICT_CONSTRUCT, inputs, type, dict.at());
    }

    /** The function a name stands for, or null. */
    Function function(Tree.Expression expression) {
        String dotted = TypeReader.dotted(expression);
        if (dotted == null) {
            return null;
        }
        if (expression instanceof Tree.Name && emitter.scope().find(dotted) instanceof Function function) {
            return function;
        }
        return emitter.loader().function(dotted);
    }
}
