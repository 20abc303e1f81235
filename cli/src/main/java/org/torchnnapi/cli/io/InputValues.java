package org.torchnnapi.cli.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Inputs in Python's notation, with words for tensors: {@code x.npy}, {@code [a.npy, b.npy]}, {@code (x.npy, 3)},
 * {@code {"left": a.npy}}, {@code tensor([[0.5, 1.5]])}, {@code 0.5}, {@code True}, {@code None}, {@code "text"}.
 */
public final class InputValues {
    private static final int MAX_DEPTH = 16;

    /** Reads the tensor that a word stands for. */
    @FunctionalInterface
    public interface Words {
        /** @throws CommandFailure if the word stands for none */
        Tensor tensor(String word) throws IOException;
    }

    private final String text;
    private final Words words;
    private int at;

    private InputValues(String text, Words words) {
        this.text = text;
        this.words = words;
    }

    /**
     * Sizes alone, such as {@code 1,3,224,224}, are those of a float32 tensor.
     *
     * @throws CommandFailure if the text is of another form
     */
    public static Object parse(String text, Words words) throws IOException {
        if (text.matches("[0-9]+(,[0-9]+)+")) {
            return words.tensor("float32[" + text + "]");
        }
        InputValues parser = new InputValues(text, words);
        Object value = parser.value(0);
        if (!parser.isAtEnd()) {
            throw parser.unexpected("the end");
        }
        return value;
    }

    private Object value(int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw unexpected("at most " + MAX_DEPTH + " lists in each other");
        }
        if (isAtEnd()) {
            throw unexpected("a value");
        }
        if (text.startsWith(TensorLiteral.START, at)) {
            return tensor();
        }
        return switch (text.charAt(at)) {
            case '[' -> list(items(']', depth));
            case '(' -> new ScriptTuple(items(')', depth), null);
            case '{' -> dict(depth);
            case '"' -> quoted();
            default -> word(",)]}");
        };
    }

    private Tensor tensor() {
        int end = text.indexOf(')', at);
        if (end < 0) {
            at = text.length();
            throw unexpected("a closing bracket of tensor(");
        }
        String numbers = text.substring(at + TensorLiteral.START.length(), end);
        at = end + 1;
        return TensorLiteral.parse(numbers);
    }

    private List<Object> items(char close, int depth) throws IOException {
        at++;
        List<Object> items = new ArrayList<>();
        while (!take(close)) {
            if (!items.isEmpty() && !take(',')) {
                throw unexpected("a comma or " + close);
            }
            if (!items.isEmpty() && take(close)) {
                break;
            }
            items.add(value(depth + 1));
        }
        return items;
    }

    private ScriptList list(List<Object> items) {
        return new ScriptList(common(items), items);
    }

    private Object dict(int depth) throws IOException {
        at++;
        Map<Object, Object> entries = new LinkedHashMap<>();
        while (!take('}')) {
            if (!entries.isEmpty() && !take(',')) {
                throw unexpected("a comma or }");
            }
            Object key = !isAtEnd() && text.charAt(at) == '"' ? quoted() : word(":,)]}");
            if (!(key instanceof String || key instanceof Long)) {
                throw unexpected("a text or whole number as a key");
            }
            if (!take(':')) {
                throw unexpected("a colon behind the key");
            }
            entries.put(key, value(depth + 1));
        }
        ScriptDict dict =
                new ScriptDict(common(new ArrayList<>(entries.keySet())), common(new ArrayList<>(entries.values())));
        dict.items().putAll(entries);
        return dict;
    }

    /** The type of all items; that of tensors where there are none. */
    private Type common(List<Object> items) {
        if (items.isEmpty()) {
            return Type.Basic.TENSOR;
        }
        Type type = RuntimeTypes.of(items.get(0));
        for (Object item : items) {
            if (!RuntimeTypes.of(item).equals(type)) {
                throw new CommandFailure("input: " + text + " holds a " + type.text() + " and a "
                        + RuntimeTypes.of(item).text() + " (expected: values of one type; (a, b) is a tuple)");
            }
        }
        return type;
    }

    private String quoted() {
        int end = text.indexOf('"', at + 1);
        if (end < 0) {
            throw unexpected("a closing quotation mark");
        }
        String quoted = text.substring(at + 1, end);
        at = end + 1;
        return quoted;
    }

    /** To the next mark that is not the word's own, as some of {@code quint8[1,3]@0.05,128} are. */
    private Object word(String marks) throws IOException {
        int start = at;
        int open = 0;
        while (at < text.length() && (open > 0 || marks.indexOf(text.charAt(at)) < 0 || isBeforeZeroPoint(start))) {
            char c = text.charAt(at++);
            open += c == '[' ? 1 : c == ']' ? -1 : 0;
        }
        String word = Strings.strip(text.substring(start, at));
        switch (word) {
            case "True" -> {
                return true;
            }
            case "False" -> {
                return false;
            }
            case "None" -> {
                return null;
            }
            case "" -> throw unexpected("a value");
            default -> {
                return word.matches("[-+]?[0-9]+")
                        ? Long.valueOf(whole(word))
                        : word.matches("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?")
                                ? Double.valueOf(word)
                                : words.tensor(word);
            }
        }
    }

    /** Whether the mark is the comma behind a scale. */
    private boolean isBeforeZeroPoint(int start) {
        return text.charAt(at) == ','
                && text.substring(start, at).matches(".*@[-+.0-9eE]+")
                && text.substring(at + 1).matches("(?s)-?[0-9].*");
    }

    private long whole(String word) {
        try {
            return Long.parseLong(word);
        } catch (NumberFormatException e) {
            throw new CommandFailure("input: " + word + " (expected: a whole number of 64 bits)", e);
        }
    }

    private boolean isAtEnd() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at == text.length();
    }

    private boolean take(char c) {
        if (!isAtEnd() && text.charAt(at) == c) {
            at++;
            isAtEnd();
            return true;
        }
        return false;
    }

    private CommandFailure unexpected(String expected) {
        return new CommandFailure("input: " + text + " at character " + (at + 1) + " (expected: " + expected
                + "; such as x.npy, [a.npy, b.npy], (x.npy, 3) or {\"left\": a.npy})");
    }
}
