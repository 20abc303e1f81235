package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.torchnnapi.tensor.platform.Strings;

/**
 * Reads annotation text such as {@code Dict[str, List[Tensor]]} into a {@link Type}. Names that are not built in
 * (classes, interfaces, named tuples, enums, custom classes) are left to a resolver.
 */
public final class TypeParser {
    private static final int MAX_DEPTH = 64;
    private static final Map<String, Type> BASIC = Map.ofEntries(
            Map.entry("Tensor", Type.Basic.TENSOR),
            Map.entry("int", Type.Basic.INT),
            Map.entry("float", Type.Basic.FLOAT),
            Map.entry("bool", Type.Basic.BOOL),
            Map.entry("str", Type.Basic.STRING),
            Map.entry("complex", Type.Basic.COMPLEX),
            Map.entry("number", Type.Basic.NUMBER),
            Map.entry("Scalar", Type.Basic.NUMBER),
            Map.entry("Device", Type.Basic.DEVICE),
            Map.entry("NoneType", Type.Basic.NONE),
            Map.entry("None", Type.Basic.NONE),
            Map.entry("Any", Type.Basic.ANY),
            Map.entry("Generator", Type.Basic.GENERATOR),
            Map.entry("Storage", Type.Basic.STORAGE),
            Map.entry("Stream", Type.Basic.STREAM),
            Map.entry("list", Type.Basic.ANY_LIST),
            Map.entry("tuple", Type.Basic.ANY_TUPLE),
            Map.entry("Layout", Type.Basic.INT),
            Map.entry("QScheme", Type.Basic.INT));

    private final String text;
    private final Function<String, Type> resolver;
    private int at;

    private TypeParser(String text, Function<String, Type> resolver) {
        this.text = text;
        this.resolver = resolver;
    }

    /**
     * @param resolver gives the type of a dotted class name, or null if there is none
     * @throws IllegalArgumentException if the text is no type or names an unknown class
     */
    public static Type parse(String text, Function<String, Type> resolver) {
        TypeParser parser = new TypeParser(text, resolver);
        Type type = parser.type(0);
        if (parser.peek() != 0) {
            throw parser.error("the end of the type");
        }
        return type;
    }

    /** The built-in type of that name, for example {@code int}, or null. */
    public static Type basic(String name) {
        return BASIC.get(name);
    }

    private Type type(int depth) {
        if (depth > MAX_DEPTH) {
            throw error("at most " + MAX_DEPTH + " levels of brackets");
        }
        String name = name();
        if (peek() != '[') {
            Type basic = BASIC.get(name);
            Type found = basic != null ? basic : resolver.apply(name);
            if (found == null) {
                throw new IllegalArgumentException("type: " + name + " in \"" + shown()
                        + "\" (expected: a TorchScript type or a class " + "of the archive)");
            }
            return found;
        }
        at++;
        List<Type> arguments = arguments(depth);
        return switch (name) {
            case "List" -> new Type.ListType(exactly(1, arguments).get(0));
            case "Optional" -> new Type.OptionalType(exactly(1, arguments).get(0));
            case "Future" -> new Type.FutureType(exactly(1, arguments).get(0));
            case "Dict" -> new Type.DictType(exactly(2, arguments).get(0), arguments.get(1));
            case "Tuple" -> Type.TupleType.of(arguments);
            case "Union" -> new Type.UnionType(arguments);
            default ->
                throw new IllegalArgumentException("type: " + name + "[..] in \"" + shown()
                        + "\" (expected: List, Dict, Tuple, " + "Optional, Union or Future)");
        };
    }

    /** Reads up to and including the closing bracket; {@code ()} stands for no arguments. */
    private List<Type> arguments(int depth) {
        List<Type> arguments = new ArrayList<>();
        if (peek() == '(') {
            at++;
            expect(')');
            expect(']');
            return arguments;
        }
        while (true) {
            arguments.add(type(depth + 1));
            if (peek() == ',') {
                at++;
                if (peek() != ']') {
                    continue;
                }
            }
            expect(']');
            return arguments;
        }
    }

    private List<Type> exactly(int count, List<Type> arguments) {
        if (arguments.size() != count) {
            throw error(count + " type argument" + (count == 1 ? "" : "s") + ", found " + arguments.size());
        }
        return arguments;
    }

    private String name() {
        peek();
        int start = at;
        while (at < text.length() && (Character.isJavaIdentifierPart(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        if (start == at) {
            throw error("a type name");
        }
        return text.substring(start, at);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw error("'" + c + "'");
        }
        at++;
    }

    /** The next character that is no space, or 0 at the end. */
    private char peek() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IllegalArgumentException error(String expected) {
        return new IllegalArgumentException(
                "type: \"" + shown() + "\" at character " + at + " (expected: " + expected + ")");
    }

    private String shown() {
        return Strings.beginning(text, 120);
    }
}
