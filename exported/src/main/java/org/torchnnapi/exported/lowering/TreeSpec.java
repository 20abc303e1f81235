package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** How tuples, lists and dictionaries of values lie in one another, as programs write it; see {@link Structure}. */
final class TreeSpec {
    private TreeSpec() {}

    /** A text with the structure of a value. */
    static String text(Object value) {
        return JsonText.text(List.of(1, tree(value, "")));
    }

    /** A text with the structure of positional arguments. */
    static String arguments(List<?> arguments) {
        return text(
                ScriptTuple.of(new ScriptTuple(arguments, null), new ScriptDict(Type.Basic.STRING, Type.Basic.ANY)));
    }

    private static Map<String, Object> tree(Object value, String place) {
        List<Object> children = new ArrayList<>();
        List<Object> keys = new ArrayList<>();
        parts(value, (key, part) -> {
            if (!(key instanceof String || key instanceof Long)) {
                throw new UnwritableProgramException(
                        "key: " + key + " (expected: texts or whole numbers as keys of dictionaries)");
            }
            keys.add(key);
            children.add(tree(part, place + "[" + key + "]"));
        });
        String type = value instanceof ScriptTuple
                ? "builtins.tuple"
                : value instanceof ScriptList ? "builtins.list" : value instanceof ScriptDict ? "builtins.dict" : null;
        Object context = type == null ? null : value instanceof ScriptDict ? JsonText.text(keys) : "null";
        return JsonText.object("type", type, "context", context, "children_spec", children);
    }

    /** What is told of each part of a value. */
    interface Visitor {
        void part(Object key, Object part);
    }

    /** Visits what is in a container; a value that is none has no parts. */
    static void parts(Object value, Visitor visitor) {
        if (value instanceof ScriptDict dict) {
            dict.items().forEach(visitor::part);
            return;
        }
        List<Object> items = value instanceof ScriptTuple tuple
                ? tuple.items()
                : value instanceof ScriptList list ? list.items() : List.of();
        for (int i = 0; i < items.size(); i++) {
            visitor.part((long) i, items.get(i));
        }
    }

    /** Whether it has parts, be they none. */
    static boolean isContainer(Object value) {
        return value instanceof ScriptTuple || value instanceof ScriptList || value instanceof ScriptDict;
    }

    /** Visits leaves with their paths, in order. */
    static void leaves(String path, Object value, Visitor visitor) {
        if (isContainer(value)) {
            parts(value, (key, part) -> leaves(path + "_" + key, part, visitor));
        } else {
            visitor.part(path, value);
        }
    }
}
