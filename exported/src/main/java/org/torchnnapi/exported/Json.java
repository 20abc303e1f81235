package org.torchnnapi.exported;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;

/**
 * A value of a JSON text, which knows its place for error messages. What is missing is null, as the format leaves out
 * or writes null for the same.
 */
final class Json {
    private static final int MAX_DEPTH = 400;
    /** What an object or a list takes, beside what is in it. */
    private static final int CONTAINER_BYTES = 128;
    /** In {@code metadata}: most of a program's text, and nothing that is needed. */
    private static final Set<String> SKIPPED = Set.of("from_node", "torch_fn", "source_fn_stack", "custom");

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .build();

    /** The one key of a union, and what it has. */
    record Tagged(String tag, Json value) {}

    private final Json parent;
    /** A key, an index, or the text's name. */
    private final Object key;

    private final Object value;
    private final ReadBudget budget;

    private Json(Json parent, Object key, Object value, ReadBudget budget) {
        this.parent = parent;
        this.key = key;
        this.value = value;
        this.budget = budget;
    }

    /**
     * @param name of the text, for error messages
     * @param budget charged for each value
     * @throws ArchiveException if it is no JSON, or more than the budget has
     */
    static Json parse(String name, ByteBuffer text, ReadBudget budget) {
        byte[] bytes = new byte[text.remaining()];
        text.duplicate().get(bytes);
        try (JsonParser parser = FACTORY.createParser(bytes)) {
            return new Reader(name, parser, budget).whole();
        } catch (IOException e) {
            throw broken(name, e);
        }
    }

    /**
     * The JSON that this text is.
     *
     * @throws ArchiveException if it is none
     */
    Json parsed() {
        try (JsonParser parser = FACTORY.createParser(text())) {
            return new Reader(place(), parser, budget).whole();
        } catch (IOException e) {
            throw broken(place(), e);
        }
    }

    private static ArchiveException broken(String name, IOException e) {
        String first = String.valueOf(e.getMessage());
        int line = first.indexOf('\n');
        return new ArchiveException(
                name + ": " + (line < 0 ? first : first.substring(0, line)) + " (expected: JSON, at most " + MAX_DEPTH
                        + " levels deep)",
                e);
    }

    /** Reads one text, value by value. */
    private static final class Reader {
        private final String name;
        private final JsonParser parser;
        private final ReadBudget budget;

        Reader(String name, JsonParser parser, ReadBudget budget) {
            this.name = name;
            this.parser = parser;
            this.budget = budget;
        }

        Json whole() throws IOException {
            Object value = read(parser.nextToken(), Set.of());
            if (parser.nextToken() != null) {
                throw new ArchiveException(name + ": more behind the first value (expected: one JSON value)");
            }
            return new Json(null, name, value, budget);
        }

        /** @param skipped keys of an object that are passed over */
        private Object read(JsonToken token, Set<String> skipped) throws IOException {
            if (token == null) {
                throw new IOException("ends too early");
            }
            budget.charge(name, "values", 1, token.isStructStart() ? CONTAINER_BYTES : ReadBudget.VALUE_BYTES);
            switch (token) {
                case START_OBJECT -> {
                    Map<String, Object> map = new LinkedHashMap<>();
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        String field = parser.currentName();
                        JsonToken next = parser.nextToken();
                        if (skipped.contains(field)) {
                            parser.skipChildren();
                        } else {
                            map.put(field, read(next, field.equals("metadata") ? SKIPPED : Set.of()));
                        }
                    }
                    return map;
                }
                case START_ARRAY -> {
                    List<Object> list = new ArrayList<>();
                    for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                        list.add(read(next, Set.of()));
                    }
                    return list;
                }
                case VALUE_STRING -> {
                    return parser.getText();
                }
                case VALUE_NUMBER_INT -> {
                    return parser.getLongValue();
                }
                case VALUE_NUMBER_FLOAT -> {
                    return parser.getDoubleValue();
                }
                case VALUE_TRUE -> {
                    return true;
                }
                case VALUE_FALSE -> {
                    return false;
                }
                case VALUE_NULL -> {
                    return null;
                }
                default -> throw new IOException("no value: " + token);
            }
        }
    }

    /** What may yet be made of the file. */
    ReadBudget budget() {
        return budget;
    }

    /** What is missing here. */
    Json missing() {
        return new Json(this, "none", null, budget);
    }

    boolean isNull() {
        return value == null;
    }

    boolean isText() {
        return value instanceof String;
    }

    boolean isInteger() {
        return value instanceof Long;
    }

    boolean isList() {
        return value instanceof List;
    }

    /** The value of a key; null where it is missing or this is null. */
    Json get(String name) {
        if (value == null) {
            return new Json(this, name, null, budget);
        }
        return new Json(this, name, map().get(name), budget);
    }

    /** Whether there is such a key, whatever it has. */
    boolean has(String name) {
        return value instanceof Map<?, ?> map && map.containsKey(name);
    }

    /** Values by key, in the order of the text. */
    Map<String, Json> fields() {
        Map<String, Json> fields = new LinkedHashMap<>();
        if (value != null) {
            map().forEach((name, field) -> fields.put((String) name, new Json(this, name, field, budget)));
        }
        return fields;
    }

    /** Arguments of a node by name. */
    Map<String, Json> named() {
        Map<String, Json> named = new LinkedHashMap<>();
        get("inputs").items().forEach(input -> named.put(input.get("name").text(), input.get("arg")));
        return named;
    }

    /** Items of a list; none where it is missing. */
    List<Json> items() {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw error("a list");
        }
        List<Json> items = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            items.add(new Json(this, i, list.get(i), budget));
        }
        return items;
    }

    /** The one key of an object that is a union. */
    Tagged union() {
        Map<?, ?> map = map();
        if (map.size() != 1) {
            throw new ArchiveException(place() + ": " + map.size() + " keys " + shown(map.keySet())
                    + " (expected: one, which says the kind)");
        }
        String tag = (String) map.keySet().iterator().next();
        return new Tagged(tag, get(tag));
    }

    String text() {
        if (!(value instanceof String text)) {
            throw error("a text");
        }
        return text;
    }

    /** The text, or what is given for a missing one. */
    String textOr(String otherwise) {
        return value == null ? otherwise : text();
    }

    long integer() {
        if (!(value instanceof Long number)) {
            throw error("a whole number");
        }
        return number;
    }

    boolean flag() {
        if (!(value instanceof Boolean flag)) {
            throw error("true or false");
        }
        return flag;
    }

    /** A number, or the text that stands for one that JSON lacks. */
    double real() {
        if (value instanceof String text) {
            return switch (text) {
                case "Infinity" -> Double.POSITIVE_INFINITY;
                case "-Infinity" -> Double.NEGATIVE_INFINITY;
                case "NaN" -> Double.NaN;
                default -> throw error("a number, Infinity, -Infinity or NaN");
            };
        }
        if (!(value instanceof Number number)) {
            throw error("a number");
        }
        return number.doubleValue();
    }

    private Map<?, ?> map() {
        if (!(value instanceof Map<?, ?> map)) {
            throw error("an object");
        }
        return map;
    }

    /** An error about this value: what it is, and what was expected. */
    ArchiveException error(String expected) {
        return new ArchiveException(place() + ": " + shown(value) + " (expected: " + expected + ")");
    }

    /** Where it stands, such as {@code models/model.json: graph_module.graph.nodes[3]}. */
    String place() {
        StringBuilder path = new StringBuilder();
        Json at = this;
        for (; at.parent != null; at = at.parent) {
            path.insert(0, at.key instanceof Integer index ? "[" + index + "]" : "." + at.key);
        }
        return at.key + (path.length() == 0 ? "" : ": " + path.substring(path.charAt(0) == '.' ? 1 : 0));
    }

    private static String shown(Object value) {
        if (value == null) {
            return "missing";
        }
        String text = value instanceof Map ? "an object" : value instanceof List ? "a list" : value.toString();
        return Strings.beginning(text, 80);
    }
}
