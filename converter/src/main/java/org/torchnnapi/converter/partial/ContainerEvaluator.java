package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Instance;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The part of a {@link AbstractInterpreter} that follows containers: lists, tuples, dicts and objects from who fills
 * them to who reads them.
 */
final class ContainerEvaluator {
    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final WideningState widening;

    ContainerEvaluator(AbstractInterpreter interpreter, ResidualGraph residual, WideningState widening) {
        this.interpreter = interpreter;
        this.residual = residual;
        this.widening = widening;
    }

    /** A container of constants, or one that an operator made of what is followed. */
    AbstractValue followed(Object value, Type type, Object site) {
        if (value instanceof AbstractValue known) {
            return known;
        }
        if (value instanceof ScriptList list) {
            ScriptList items = new ScriptList(list.elementType());
            list.items().forEach(item -> items.items().add(followed(item, list.elementType(), site)));
            return new Held(
                    items,
                    type instanceof Type.ListType ? type : Type.list(list.elementType()),
                    site,
                    residual.current());
        }
        if (value instanceof ScriptDict dict) {
            ScriptDict items = new ScriptDict(dict.keyType(), dict.valueType());
            dict.items().forEach((key, item) -> items.items().put(key, followed(item, dict.valueType(), site)));
            return new Held(
                    items,
                    type instanceof Type.DictType ? type : new Type.DictType(dict.keyType(), dict.valueType()),
                    site,
                    residual.current());
        }
        if (value instanceof ScriptTuple tuple) {
            Type.TupleType known = type instanceof Type.TupleType given ? given : tuple.type();
            List<AbstractValue> items = new ArrayList<>();
            for (int i = 0; i < tuple.size(); i++) {
                items.add(
                        followed(tuple.get(i), known != null ? known.elements().get(i) : Type.Basic.ANY, site));
            }
            return new Held(
                    new ScriptTuple(items, tuple.type()),
                    known != null
                            ? known
                            : Type.TupleType.of(items.stream()
                                    .map(ContainerEvaluator::typeOf)
                                    .collect(Streams.toList())),
                    site,
                    residual.current());
        }
        return new Known(value);
    }

    static Type typeOf(AbstractValue known) {
        return known instanceof Open open
                ? open.value().type()
                : known instanceof Held held ? held.type() : RuntimeTypes.of(((Known) known).value());
    }

    void construct(Node node) {
        if (widening.isOpen(node)) {
            interpreter.residualize(node);
            return;
        }
        Type type = node.output().type();
        List<AbstractValue> items = node.inputs().stream().map(interpreter::of).collect(Streams.toList());
        Object container;
        if (node.is(Prim.LIST_CONSTRUCT)) {
            container = new ScriptList(type instanceof Type.ListType list ? list.element() : Type.Basic.ANY, items);
        } else if (node.is(Prim.TUPLE_CONSTRUCT)) {
            container =
                    new ScriptTuple(items, type instanceof Type.TupleType tuple && tuple.name() != null ? tuple : null);
        } else {
            ScriptDict dict = new ScriptDict(((Type.DictType) type).key(), ((Type.DictType) type).value());
            for (int i = 0; i < items.size(); i += 2) {
                if (!(items.get(i) instanceof Known key)) {
                    interpreter.residualize(node);
                    return;
                }
                dict.items().put(key.value(), items.get(i + 1));
            }
            container = dict;
        }
        interpreter.hold(node, container);
    }

    void unpack(Node node) {
        if (!(interpreter.of(node.input(0)) instanceof Held held)) {
            interpreter.residualize(node);
            return;
        }
        List<AbstractValue> items = ResidualGraph.items(held.container());
        if (items.size() != node.outputs().size()) {
            throw new IllegalStateException("a list of " + items.size() + " items (expected: "
                    + node.outputs().size() + ")");
        }
        for (int i = 0; i < items.size(); i++) {
            interpreter.define(node.output(i), items.get(i));
        }
    }

    void index(Node node) {
        if (interpreter.of(node.input(0)) instanceof Held held
                && interpreter.of(node.input(1)) instanceof Known known
                && known.value() instanceof Long at) {
            List<AbstractValue> items = ResidualGraph.items(held.container());
            interpreter.define(node.output(), items.get((int) (at < 0 ? at + items.size() : at)));
        } else {
            interpreter.residualize(node);
        }
    }

    void create(Node node) {
        if (widening.isOpen(node) || !(node.output().type() instanceof ClassType type)) {
            interpreter.residualize(node);
        } else {
            interpreter.hold(node, new Instance(type));
        }
    }

    void attribute(Node node) {
        if (!(interpreter.of(node.input(0)) instanceof Held held && held.container() instanceof Instance instance)) {
            interpreter.moduleAttribute(node);
            return;
        }
        String name = (String) node.attribute("name");
        if (node.is(Prim.SET_ATTR)) {
            if (held.home() != residual.current()) {
                widening.site(held.site());
            }
            instance.attributes().put(name, interpreter.of(node.input(1)));
        } else if (instance.attributes().containsKey(name)) {
            interpreter.define(node.output(), instance.attributes().get(name));
        } else {
            widening.site(held.site());
            throw new WideningState.Again();
        }
    }
}
