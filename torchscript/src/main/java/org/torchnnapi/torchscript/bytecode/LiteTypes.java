package org.torchnnapi.torchscript.bytecode;

import java.util.List;
import java.util.StringJoiner;
import org.torchnnapi.torchscript.ir.Type;

/**
 * Types as byte code writes them: a named tuple with its fields, and what a future will hold in place of the future.
 */
final class LiteTypes {
    private LiteTypes() {}

    /** A type in a table of types. */
    static String text(Type type) {
        return text(type, true);
    }

    /**
     * The type of an argument or result in a signature. Lite interpreters hold arguments to it, but cannot tell unions
     * and named tuples: PyTorch 1.13 ends the process as it says what it expected. These, and what holds them, are
     * anything.
     */
    static String plainText(Type type) {
        return isTold(type) ? text(type, false) : Type.Basic.ANY.text();
    }

    private static boolean isTold(Type type) {
        if (type instanceof Type.FutureType future) {
            return isTold(future.element());
        }
        if (type instanceof Type.ListType list) {
            return isTold(list.element());
        }
        if (type instanceof Type.OptionalType optional) {
            return isTold(optional.element());
        }
        if (type instanceof Type.DictType dict) {
            return isTold(dict.key()) && isTold(dict.value());
        }
        if (type instanceof Type.TupleType tuple) {
            return tuple.name() == null && tuple.elements().stream().allMatch(LiteTypes::isTold);
        }
        return !(type instanceof Type.UnionType);
    }

    private static String text(Type type, boolean fields) {
        if (type instanceof Type.FutureType future) {
            return text(future.element(), fields);
        }
        if (type instanceof Type.ListType list) {
            return "List[" + text(list.element(), fields) + "]";
        }
        if (type instanceof Type.OptionalType optional) {
            return "Optional[" + text(optional.element(), fields) + "]";
        }
        if (type instanceof Type.DictType dict) {
            return "Dict[" + text(dict.key(), fields) + ", " + text(dict.value(), fields) + "]";
        }
        if (type instanceof Type.UnionType union) {
            return joined("Union[", union.members(), fields);
        }
        if (type instanceof Type.TupleType tuple) {
            return tuple.name() != null
                    ? tuple.name() + (fields ? fields(tuple) : "")
                    : tuple.elements().isEmpty() ? "Tuple[()]" : joined("Tuple[", tuple.elements(), fields);
        }
        return type.text();
    }

    private static String joined(String open, List<Type> types, boolean fields) {
        StringJoiner text = new StringJoiner(", ", open, "]");
        types.forEach(type -> text.add(text(type, fields)));
        return text.toString();
    }

    private static String fields(Type.TupleType tuple) {
        StringJoiner text = new StringJoiner(",", "[NamedTuple, [", "]]");
        for (int i = 0; i < tuple.fields().size(); i++) {
            text.add("[" + tuple.fields().get(i) + ", " + text(tuple.elements().get(i)) + "]");
        }
        return text.toString();
    }
}
