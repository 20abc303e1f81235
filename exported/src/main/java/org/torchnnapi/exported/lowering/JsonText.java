package org.torchnnapi.exported.lowering;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Texts of JSON, of maps, lists, texts, numbers, truth values and null. */
final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    /** An object of names and values in turns, in their order. */
    static Map<String, Object> object(Object... parts) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < parts.length; i += 2) {
            object.put((String) parts[i], parts[i + 1]);
        }
        return object;
    }

    /** A number; what JSON lacks is a text. */
    static Object real(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        return Double.isInfinite(value) ? value > 0 ? "Infinity" : "-Infinity" : (Object) value;
    }

    static byte[] bytes(Object value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator generator = FACTORY.createGenerator(out)) {
            write(generator, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static String text(Object value) {
        return new String(bytes(value), StandardCharsets.UTF_8);
    }

    private static void write(JsonGenerator generator, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                generator.writeFieldName((String) entry.getKey());
                write(generator, entry.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof List<?> list) {
            generator.writeStartArray();
            for (Object item : list) {
                write(generator, item);
            }
            generator.writeEndArray();
        } else if (value instanceof String text) {
            generator.writeString(text);
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else if (value instanceof Double real) {
            generator.writeNumber(real);
        } else if (value instanceof Number number) {
            generator.writeNumber(number.longValue());
        } else {
            generator.writeNull();
        }
    }
}
