package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Reads operator schemas in PyTorch's notation, for example {@code aten::add_.Tensor(Tensor(a!) self, Tensor other, *,
 * Scalar alpha=1) -> Tensor(a!)}.
 *
 * <p>Enumerations ({@code ScalarType}, {@code Layout}, {@code MemoryFormat}, {@code QScheme}) are ints, as in
 * TorchScript. A default of a sized list, {@code int[2] stride=1}, becomes a list of that many values.
 */
public final class SchemaParser {
    private final String text;
    private int at;

    private SchemaParser(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if the text is no schema */
    public static FunctionSchema parse(String text) {
        return new SchemaParser(text).schema();
    }

    private FunctionSchema schema() {
        String qualified = until("(");
        int dot = qualified.indexOf('.', Math.max(qualified.indexOf("::"), 0));
        String name = dot < 0 ? qualified : qualified.substring(0, dot);
        String overload = dot < 0 ? "" : qualified.substring(dot + 1);
        expect("(");
        List<FunctionSchema.Argument> arguments = new ArrayList<>();
        boolean vararg = arguments(arguments);
        skipSpace();
        expect("->");
        List<FunctionSchema.Argument> returns = new ArrayList<>();
        skipSpace();
        if (accept("(")) {
            arguments(returns);
        } else if (!accept("...")) {
            returns.add(argument(false));
        }
        skipSpace();
        if (at < text.length()) {
            throw error("the end of the schema");
        }
        return new FunctionSchema(name, overload, arguments, returns, vararg);
    }

    /** Reads a list up to its closing parenthesis; true if it ends in {@code ...}. */
    private boolean arguments(List<FunctionSchema.Argument> into) {
        boolean vararg = false;
        boolean keywordOnly = false;
        skipSpace();
        while (!accept(")")) {
            if (accept("...")) {
                vararg = true;
            } else if (accept("*")) {
                keywordOnly = true;
            } else {
                into.add(argument(keywordOnly));
            }
            skipSpace();
            if (accept(",")) {
                skipSpace();
            }
        }
        return vararg;
    }

    private FunctionSchema.Argument argument(boolean keywordOnly) {
        String[] alias = new String[1];
        Annotated annotated = type(alias);
        skipSpace();
        String name = peekIdentifier() ? identifier() : "";
        boolean hasDefault = accept("=");
        Object value = hasDefault ? defaultValue(annotated) : null;
        boolean mutated = alias[0] != null && alias[0].contains("!");
        String set = alias[0] == null ? null : aliasSet(alias[0]);
        return new FunctionSchema.Argument(name, annotated.type, keywordOnly, hasDefault, value, mutated, set);
    }

    /** The letters at the start of an alias annotation: {@code a} of {@code a!} and of {@code a -> *}. */
    private static String aliasSet(String annotation) {
        int end = 0;
        while (end < annotation.length()
                && (annotation.charAt(end) == '*' || Character.isLetter(annotation.charAt(end)))) {
            end++;
        }
        return annotation.substring(0, end);
    }

    /** A type and, for {@code int[2]}, the number of elements a scalar stands for (0 otherwise). */
    private record Annotated(Type type, int count) {}

    private Annotated type(String[] alias) {
        Type type = base();
        int count = 0;
        while (true) {
            if (at < text.length() && text.charAt(at) == '(') {
                at++;
                String set = Strings.strip(until(")"));
                at++;
                if (alias[0] == null) {
                    alias[0] = set;
                }
            } else if (accept("[")) {
                String digits = until("]");
                at++;
                count = digits.isEmpty() ? 0 : Integer.parseInt(digits);
                type = Type.list(type);
            } else if (accept("?")) {
                type = Type.optional(type);
            } else {
                return new Annotated(type, count);
            }
        }
    }

    private Type base() {
        skipSpace();
        if (accept("(")) {
            List<Type> elements = types(")");
            return Type.TupleType.of(elements);
        }
        String name = identifier();
        if (name.equals("Dict") && accept("(")) {
            List<Type> parts = types(")");
            return new Type.DictType(parts.get(0), parts.get(1));
        }
        if (name.equals("Future") && accept("(")) {
            return new Type.FutureType(types(")").get(0));
        }
        return switch (name) {
            case "Tensor" -> Type.Basic.TENSOR;
            case "int", "SymInt", "ScalarType", "Layout", "MemoryFormat", "QScheme" -> Type.Basic.INT;
            case "float" -> Type.Basic.FLOAT;
            case "bool" -> Type.Basic.BOOL;
            case "str", "Dimname" -> Type.Basic.STRING;
            case "complex" -> Type.Basic.COMPLEX;
            case "Scalar", "number" -> Type.Basic.NUMBER;
            case "Device" -> Type.Basic.DEVICE;
            case "NoneType" -> Type.Basic.NONE;
            case "Any" -> Type.Basic.ANY;
            case "Generator" -> Type.Basic.GENERATOR;
            case "Storage" -> Type.Basic.STORAGE;
            case "Stream" -> Type.Basic.STREAM;
            case "AnyEnumType" -> Type.Basic.ANY_ENUM;
            case "list" -> Type.Basic.ANY_LIST;
            case "tuple" -> Type.Basic.ANY_TUPLE;
            case "AnyClassType" -> Type.Basic.ANY;
            default -> name.startsWith("__torch__.") ? ClassType.custom(name) : new Type.Variable(name);
        };
    }

    private List<Type> types(String close) {
        List<Type> types = new ArrayList<>();
        skipSpace();
        while (!accept(close)) {
            types.add(type(new String[1]).type);
            skipSpace();
            if (accept(",")) {
                skipSpace();
            }
        }
        return types;
    }

    private Object defaultValue(Annotated annotated) {
        Object value = literal(annotated.type);
        Type type = annotated.type instanceof Type.OptionalType o ? o.element() : annotated.type;
        if (type instanceof Type.ListType list && value != null && !(value instanceof ScriptList)) {
            return new ScriptList(list.element(), Collections.nCopies(Math.max(annotated.count, 1), value));
        }
        return value instanceof Long l && type == Type.Basic.FLOAT ? (Object) l.doubleValue() : value;
    }

    private Object literal(Type type) {
        char c = text.charAt(at);
        if (c == '"' || c == '\'') {
            at++;
            String value = until(String.valueOf(c));
            at++;
            return value;
        }
        if (accept("[")) {
            Type element = type instanceof Type.OptionalType o ? o.element() : type;
            element = element instanceof Type.ListType list ? list.element() : Type.Basic.INT;
            List<Object> items = new ArrayList<>();
            while (!accept("]")) {
                items.add(literal(element));
                accept(",");
                skipSpace();
            }
            return new ScriptList(element, items);
        }
        int start = at;
        while (at < text.length() && ",)] ".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        return switch (word) {
            case "None" -> null;
            case "True" -> Boolean.TRUE;
            case "False" -> Boolean.FALSE;
            // Enumeration members that occur as defaults, by their numbers (at::Reduction, c10::Layout,
            // c10::MemoryFormat).
            case "Mean" -> 1L;
            case "Sum" -> 2L;
            case "strided", "contiguous_format" -> 0L;
            case "long" -> 4L;
            case "inf" -> Double.POSITIVE_INFINITY;
            default -> number(word);
        };
    }

    private Object number(String word) {
        try {
            return isWhole(word) ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("default: " + word + " in \"" + text + "\" (expected: a literal)", e);
        }
    }

    private static boolean isWhole(String word) {
        for (int i = word.startsWith("-") ? 1 : 0; i < word.length(); i++) {
            if (word.charAt(i) < '0' || word.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    private boolean peekIdentifier() {
        return at < text.length() && (Character.isJavaIdentifierStart(text.charAt(at)));
    }

    private String identifier() {
        int start = at;
        while (at < text.length() && (Character.isJavaIdentifierPart(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        if (start == at) {
            throw error("a name");
        }
        return text.substring(start, at);
    }

    private String until(String stop) {
        int end = text.indexOf(stop, at);
        if (end < 0) {
            throw error("'" + stop + "'");
        }
        String part = text.substring(at, end);
        at = end;
        return part;
    }

    private void skipSpace() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    private boolean accept(String token) {
        if (text.startsWith(token, at)) {
            at += token.length();
            return true;
        }
        return false;
    }

    private void expect(String token) {
        if (!accept(token)) {
            throw error("'" + token + "'");
        }
    }

    private IllegalArgumentException error(String expected) {
        return new IllegalArgumentException(
                "schema: \"" + text + "\" at character " + at + " (expected: " + expected + ")");
    }
}
