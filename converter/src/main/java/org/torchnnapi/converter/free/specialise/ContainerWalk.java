package org.torchnnapi.converter.free.specialise;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.free.specialise.Abstract.Held;
import org.torchnnapi.converter.free.specialise.Abstract.Instance;
import org.torchnnapi.converter.free.specialise.Abstract.Known;
import org.torchnnapi.converter.free.specialise.Abstract.Open;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** The part of a {@link Walk} that follows containers: lists, tuples, dicts and objects from who fills them to who reads them. */
final class ContainerWalk {
    private final Walk walk;
    private final Residue residue;
    private final Openings openings;

    ContainerWalk(Walk walk, Residue residue, Openings openings) {
        this.walk = walk;
        this.residue = residue;
        this.openings = openings;
    }

    /** A container of constants, or one that an operator made of what is followed. */
    Abstract followed(Object value, Type type, Object site) {
        if (value instanceof Abstract known) {
            return known;
        }
        if (value instanceof ScriptList list) {
            ScriptList items = new ScriptList(list.elementType());
            list.items().forEach(item -> items.items().add(followed(item, list.elementType(), site)));
            return new Held(items, type instanceof Type.ListType ? type : Type.list(list.elementType()), site, residue.current());
        }
        if (value instanceof ScriptDict dict) {
            ScriptDict items = new ScriptDict(dict.keyType(), dict.valueType());
            dict.items().forEach((key, item) -> items.items().put(key, followed(item, dict.valueType(), site)));
            return new Held(items, type instanceof Type.DictType ? type : new Type.DictType(dict.keyType(), dict.valueType()), site, residue.current());
        }
        if (value instanceof ScriptTuple tuple) {
            Type.TupleType known = type instanceof Type.TupleType given ? given : tuple.type();
            List<Abstract> items = new ArrayList<>();
            for (int i = 0; i < tuple.size(); i++) {
                items.add(followed(tuple.get(i), known != null ? known.elements().get(i) : Type.Basic.ANY, site));
            }
            return new Held(new ScriptTuple(items, tuple.type()), known != null ? known : Type.TupleType.of(items.stream().map(ContainerWalk::typeOf).collect(Streams.toList())), site,
                residue.current());
        }
        return new Known(value);
    }

    static Type typeOf(Abstract known) {
        return known instanceof Open open ? open.value().type() : known instanceof Held held ? held.type() : RuntimeTypes.of(((Known) known).value());
    }

    void construct(Node node) {
        if (openings.isOpen(node)) {
            walk.leave(node);
            return;
        }
        Type type = node.output().type();
        List<Abstract> items = node.inputs().stream().map(walk::of).collect(Streams.toList());
        Object container;
        if (node.is("prim::ListConstruct")) {
            container = new ScriptList(type instanceof Type.ListType list ? list.element() : Type.Basic.ANY, items);
        } else if (node.is("prim::TupleConstruct")) {
            container = new ScriptTuple(items, type instanceof Type.TupleType tuple && tuple.name() != null ? tuple : null);
        } else {
            ScriptDict dict = new ScriptDict(((Type.DictType) type).key(), ((Type.DictType) type).value());
            for (int i = 0; i < items.size(); i += 2) {
                if (!(items.get(i) instanceof Known key)) {
                    walk.leave(node);
                    return;
                }
                dict.items().put(key.value(), items.get(i + 1));
            }
            container = dict;
        }
        walk.define(node.output(), new Held(container, type, node, residue.current()));
    }

    void unpack(Node node) {
        if (!(walk.of(node.input(0)) instanceof Held held)) {
            walk.leave(node);
            return;
        }
        List<Abstract> items = Residue.items(held.container());
        if (items.size() != node.outputs().size()) {
            throw new IllegalStateException("a list of " + items.size() + " items (expected: " + node.outputs().size() + ")");
        }
        for (int i = 0; i < items.size(); i++) {
            walk.define(node.output(i), items.get(i));
        }
    }

    void index(Node node) {
        if (walk.of(node.input(0)) instanceof Held held && walk.of(node.input(1)) instanceof Known known && known.value() instanceof Long at) {
            List<Abstract> items = Residue.items(held.container());
            walk.define(node.output(), items.get((int) (at < 0 ? at + items.size() : at)));
        } else {
            walk.leave(node);
        }
    }

    void create(Node node) {
        if (openings.isOpen(node) || !(node.output().type() instanceof ClassType type)) {
            walk.leave(node);
        } else {
            walk.define(node.output(), new Held(new Instance(type), type, node, residue.current()));
        }
    }

    void attribute(Node node) {
        if (!(walk.of(node.input(0)) instanceof Held held && held.container() instanceof Instance instance)) {
            walk.moduleAttribute(node);
            return;
        }
        String name = (String) node.attribute("name");
        if (node.is("prim::SetAttr")) {
            if (held.home() != residue.current()) {
                openings.site(held.site());
            }
            instance.attributes().put(name, walk.of(node.input(1)));
        } else if (instance.attributes().containsKey(name)) {
            walk.define(node.output(), instance.attributes().get(name));
        } else {
            openings.site(held.site());
            throw new Openings.Again();
        }
    }
}
