package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeParser;

/** Annotations, parsed as expressions, to types. */
final class TypeReader {
    private TypeReader() {}

    static Type type(CodeLoader loader, Tree.Annotation annotation) {
        String text = annotation.text();
        Type known = loader.annotated(text);
        if (known == null) {
            String entry = annotation.source().entry();
            known = CodeLoader.isQualified(text)
                    ? named(loader, entry, annotation.at(), text)
                    : type(loader, entry, Parser.type(annotation));
            loader.annotated(text, known);
        }
        return known;
    }

    static Type type(CodeLoader loader, String entry, Tree.Expression expression) {
        if (expression instanceof Tree.Literal literal && literal.value() == null) {
            return Type.Basic.NONE;
        }
        if (expression instanceof Tree.Index index) {
            return generic(loader, entry, index);
        }
        String name = dotted(expression);
        if (name == null) {
            throw new SourceException(entry, expression.at(), "an expression", "a type");
        }
        return named(loader, entry, expression.at(), name);
    }

    private static Type named(CodeLoader loader, String entry, Position at, String name) {
        Type basic = TypeParser.basic(name);
        if (basic != null) {
            return basic;
        }
        if (name.equals("Tuple")) {
            return Type.TupleType.of(List.of());
        }
        Type type = loader.type(name);
        if (type == null) {
            throw new SourceException(entry, at, "type " + name, "a type or a class of the archive");
        }
        return type;
    }

    private static Type generic(CodeLoader loader, String entry, Tree.Index index) {
        String name = dotted(index.object());
        List<Tree.Expression> parts =
                index.index() instanceof Tree.TupleDisplay tuple ? tuple.items() : List.of(index.index());
        List<Type> arguments = new ArrayList<>(parts.size());
        for (Tree.Expression part : parts) {
            arguments.add(type(loader, entry, part));
        }
        int expected = -1;
        if (name != null) {
            switch (name) {
                case "Tuple":
                    return Type.TupleType.of(arguments);
                case "Union":
                    return union(arguments);
                case "List":
                case "Optional":
                case "Future":
                case "Final":
                    expected = 1;
                    break;
                case "Dict":
                    expected = 2;
                    break;
                default:
                    throw new SourceException(
                            entry,
                            index.at(),
                            "type " + name + "[..]",
                            "List, Dict, Tuple, Optional, Union, Future or Final");
            }
        }
        if (arguments.size() != expected) {
            throw new SourceException(
                    entry, index.at(), arguments.size() + " type arguments", expected + " of " + name);
        }
        return switch (name) {
            case "List" -> Type.list(arguments.get(0));
            case "Optional" ->
                arguments.get(0) instanceof Type.OptionalType ? arguments.get(0) : Type.optional(arguments.get(0));
            case "Future" -> new Type.FutureType(arguments.get(0));
            case "Dict" -> new Type.DictType(arguments.get(0), arguments.get(1));
            default -> arguments.get(0);
        };
    }

    /** {@code Union[T, NoneType]} is {@code Optional[T]}. */
    private static Type union(List<Type> members) {
        List<Type> distinct = members.stream().distinct().collect(Streams.toList());
        if (distinct.size() == 2 && distinct.contains(Type.Basic.NONE)) {
            return Type.optional(distinct.get(0) == Type.Basic.NONE ? distinct.get(1) : distinct.get(0));
        }
        return distinct.size() == 1 ? distinct.get(0) : new Type.UnionType(distinct);
    }

    /** {@code a.b.c}, or null if the expression is no such chain of names. */
    static String dotted(Tree.Expression expression) {
        if (expression instanceof Tree.Name name) {
            return name.name();
        }
        StringBuilder text = new StringBuilder();
        return append(expression, text) ? text.toString() : null;
    }

    private static boolean append(Tree.Expression expression, StringBuilder text) {
        if (expression instanceof Tree.Attribute attribute && append(attribute.object(), text)) {
            text.append('.').append(attribute.name());
            return true;
        }
        if (expression instanceof Tree.Name name) {
            text.append(name.name());
            return true;
        }
        return false;
    }
}
