package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * How leaves lie in arguments or results: tuples, lists, dictionaries and what has names. A type that is not known is
 * given as a dictionary where it has a name for each of its children, otherwise as a list.
 */
final class Structure {
    private static final int MAX_DEPTH = 100;

    /** What a level is. */
    enum Form {
        LEAF,
        TUPLE,
        LIST,
        DICT,
        NAMED
    }

    private final Form form;
    /** Texts or whole numbers of a dictionary, field names of what is named. */
    private final List<Object> keys;
    /** Of what is named: the class, otherwise null. */
    private final String name;

    private final List<Structure> children;

    private Structure(Form form, List<Object> keys, String name, List<Structure> children) {
        this.form = form;
        this.keys = keys;
        this.name = name;
        this.children = children;
    }

    /**
     * @param spec a text of JSON: the version 1 and the tree
     * @param fieldNames of named tuples by type, as the program has them
     */
    static Structure parse(Json spec, Json fieldNames) {
        Json text = spec.parsed();
        List<Json> parts = text.items();
        if (parts.size() != 2 || !parts.get(0).isInteger() || parts.get(0).integer() != 1) {
            throw text.error("[1, the structure]");
        }
        return read(parts.get(1), fieldNames, 0);
    }

    private static Structure read(Json tree, Json fieldNames, int depth) {
        if (depth > MAX_DEPTH) {
            throw tree.error("at most " + MAX_DEPTH + " levels");
        }
        List<Structure> children = new ArrayList<>();
        for (Json child : tree.get("children_spec").items()) {
            children.add(read(child, fieldNames, depth + 1));
        }
        if (tree.get("type").isNull()) {
            return new Structure(Form.LEAF, List.of(), null, List.of());
        }
        String type = tree.get("type").text();
        if (type.equals("builtins.tuple")) {
            return new Structure(Form.TUPLE, List.of(), null, children);
        }
        if (type.equals("collections.namedtuple")) {
            String named = tree.get("context").text();
            List<Object> fields = texts(fieldNames.get(named).get("field_names"));
            return fields != null && fields.size() == children.size()
                    ? new Structure(Form.NAMED, fields, named, children)
                    : new Structure(Form.TUPLE, List.of(), null, children);
        }
        Json context = context(tree.get("context"));
        if (context.has("dict_context")) {
            context = context.get("dict_context");
        }
        List<Object> names = texts(context);
        if (names != null && names.size() == children.size() && !type.equals("builtins.list")) {
            return new Structure(Form.DICT, names, null, children);
        }
        // A dataclass: the names of the children and of fields that are None.
        if (context.isList()
                && context.items().size() == 2
                && context.items().get(0).isList()) {
            List<Object> fields = texts(context.items().get(0));
            if (fields != null && fields.size() == children.size()) {
                return new Structure(Form.NAMED, fields, type, children);
            }
        }
        return new Structure(Form.LIST, List.of(), null, children);
    }

    private static Json context(Json context) {
        try {
            return context.isText() ? context.parsed() : context;
        } catch (ArchiveException notJson) {
            return context.missing();
        }
    }

    /** Texts and whole numbers of a list; null if it is none, or of something else. */
    private static List<Object> texts(Json list) {
        if (!list.isList()) {
            return null;
        }
        List<Object> texts = new ArrayList<>();
        for (Json item : list.items()) {
            if (item.isText()) {
                texts.add(item.text());
            } else if (item.isInteger()) {
                texts.add(item.integer());
            } else {
                return null;
            }
        }
        return texts;
    }

    Form form() {
        return form;
    }

    List<Object> keys() {
        return keys;
    }

    List<Structure> children() {
        return children;
    }

    /** Number of leaves. */
    int leaves() {
        if (form == Form.LEAF) {
            return 1;
        }
        int sum = 0;
        for (Structure child : children) {
            sum += child.leaves();
        }
        return sum;
    }

    /** The type of a value of this structure, with leaves of these types, in order. */
    Type type(Iterator<Type> leaves, TensorModules classes) {
        if (form == Form.LEAF) {
            return leaves.next();
        }
        List<Type> types = new ArrayList<>();
        for (Structure child : children) {
            types.add(child.type(leaves, classes));
        }
        return of(types, classes);
    }

    /** Types of this structure's leaves, off the front of more. */
    List<Type> leafTypes(Iterator<Type> leaves) {
        List<Type> types = new ArrayList<>();
        for (int i = leaves(); i > 0; i--) {
            types.add(leaves.next());
        }
        return types;
    }

    /** The type of a value with children of these types. */
    Type of(List<Type> types, TensorModules classes) {
        return switch (form) {
            case TUPLE -> Type.TupleType.of(types);
            case NAMED -> classes.named(name, fieldNames(), types);
            case LIST -> Type.list(common(types));
            default -> new Type.DictType(keyType(), common(types));
        };
    }

    private List<String> fieldNames() {
        List<String> names = new ArrayList<>();
        keys.forEach(key -> names.add(Names.identifier(String.valueOf(key))));
        return names;
    }

    private static Type common(List<Type> types) {
        if (types.isEmpty()) {
            return Type.Basic.TENSOR;
        }
        Type first = types.get(0);
        return types.stream().allMatch(first::equals) ? first : Type.Basic.ANY;
    }

    private Type keyType() {
        boolean texts = keys.stream().allMatch(key -> key instanceof String);
        boolean numbers = !keys.isEmpty() && keys.stream().allMatch(key -> key instanceof Long);
        return texts ? Type.Basic.STRING : numbers ? Type.Basic.INT : Type.Basic.ANY;
    }

    /** What is told of each value on the way to the leaves. */
    interface Visitor {
        void leaf(Value value);

        /** A level begins: a value's child of that key. */
        void enter(Object key);

        void leave();
    }

    /**
     * Adds nodes that take a value apart, and that raise an error where it has another number of parts.
     *
     * @param told of the value in errors
     * @param leafTypes in order
     */
    void takeApart(
            GraphEmitter emitter,
            Value value,
            String told,
            Iterator<Type> leafTypes,
            TensorModules classes,
            Visitor visitor) {
        if (form == Form.LEAF) {
            Type type = leafTypes.next();
            visitor.leaf(value.type().equals(type) ? value : cast(emitter, value, type));
            return;
        }
        if (form == Form.TUPLE || form == Form.NAMED) {
            Type.TupleType type = (Type.TupleType) value.type();
            Node unpack = emitter.node(Prim.TUPLE_UNPACK, List.of(value));
            type.elements().forEach(unpack::addOutput);
            for (int i = 0; i < children.size(); i++) {
                Object key = form == Form.NAMED ? keys.get(i) : (Object) (long) i;
                part(emitter, unpack.output(i), key, i, told, leafTypes, classes, visitor);
            }
            return;
        }
        Value count = emitter.length(value);
        emitter.raiseIf(
                emitter.differ(count, children.size()),
                told + ": {} items (expected: " + children.size() + ", as in the example that was exported with)",
                count);
        for (int i = 0; i < children.size(); i++) {
            Object key = form == Form.DICT ? keys.get(i) : (Object) (long) i;
            Value item = emitter.item(value, key);
            part(emitter, item, key, i, told, leafTypes, classes, visitor);
        }
    }

    private void part(
            GraphEmitter emitter,
            Value value,
            Object key,
            int index,
            String told,
            Iterator<Type> leafTypes,
            TensorModules classes,
            Visitor visitor) {
        visitor.enter(key);
        Structure child = children.get(index);
        List<Type> types = child.leafTypes(leafTypes);
        Type wanted = child.type(types.iterator(), classes);
        Value given = value.type().equals(wanted) ? value : cast(emitter, value, wanted);
        child.takeApart(emitter, given, told + "[" + key + "]", types.iterator(), classes, visitor);
        visitor.leave();
    }

    private static Value cast(GraphEmitter emitter, Value value, Type type) {
        return emitter.value(Prim.UNCHECKED_CAST, List.of(value), type);
    }

    /** Adds nodes that make a value of leaves. */
    Value putTogether(GraphEmitter emitter, Iterator<Value> leaves, TensorModules classes) {
        if (form == Form.LEAF) {
            return leaves.next();
        }
        List<Value> parts = new ArrayList<>();
        List<Type> types = new ArrayList<>();
        for (int i = 0; i < children.size(); i++) {
            Value part = children.get(i).putTogether(emitter, leaves, classes);
            types.add(part.type());
            if (form == Form.DICT) {
                parts.add(emitter.constant(keys.get(i)));
            }
            parts.add(part);
        }
        Type type = of(types, classes);
        return emitter.value(
                switch (form) {
                    case LIST -> Prim.LIST_CONSTRUCT;
                    case DICT -> Prim.DICT_CONSTRUCT;
                    default -> Prim.TUPLE_CONSTRUCT;
                },
                parts,
                type);
    }
}
