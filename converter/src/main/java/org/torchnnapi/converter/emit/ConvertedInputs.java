package org.torchnnapi.converter.emit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What the methods of a converted file were converted for: an extra file of lines, each with a method's name and,
 * behind tabs, its arguments in words, such as {@code [float32[3,320,320]]}. NNAPI's models alone do not tell where
 * there are several or where something is computed before them. PyTorch reads past it.
 */
public final class ConvertedInputs {
    /** Name of the extra file. */
    public static final String NAME = "nnapi-inputs.tsv";

    private final StringBuilder text = new StringBuilder();

    /** Adds a method and its arguments; not those that have no words. */
    public ConvertedInputs add(String method, List<?> arguments) {
        List<String> words = new ArrayList<>();
        for (Object argument : arguments) {
            String word = word(argument);
            if (word == null) {
                return this;
            }
            words.add(word);
        }
        text.append(method).append('\t').append(String.join("\t", words)).append('\n');
        return this;
    }

    /** The extra file; none where nothing was added. */
    public Map<String, ByteBuffer> write() {
        return text.length() == 0
                ? Map.of()
                : Map.of(NAME, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    /** What an archive's extra files tell of a method: arguments in words, as often as it was converted for. */
    public static List<List<String>> read(Map<String, ByteBuffer> extraFiles, String method) {
        ByteBuffer bytes = extraFiles.get(NAME);
        List<List<String>> found = new ArrayList<>();
        if (bytes != null) {
            for (String line :
                    StandardCharsets.UTF_8.decode(bytes.duplicate()).toString().split("\n")) {
                List<String> fields = Arrays.asList(line.split("\t"));
                if (fields.size() > 1 && fields.get(0).equals(method)) {
                    found.add(fields.subList(1, fields.size()));
                }
            }
        }
        return found;
    }

    /** Null for what has no word. */
    private static String word(Object value) {
        if (value instanceof Tensor tensor) {
            return InputSpec.like(tensor).text();
        }
        if (value instanceof ScriptList list) {
            return joined("[", list.items(), "]");
        }
        if (value instanceof ScriptTuple tuple) {
            return joined("(", tuple.items(), ")");
        }
        if (value instanceof ScriptDict dict) {
            List<String> entries = new ArrayList<>();
            for (Map.Entry<Object, Object> entry : dict.items().entrySet()) {
                String key = word(entry.getKey());
                String item = word(entry.getValue());
                if (key == null || item == null) {
                    return null;
                }
                entries.add(key + ": " + item);
            }
            return "{" + String.join(", ", entries) + "}";
        }
        if (value instanceof String string) {
            return string.matches("[^\"\\p{Cntrl}]*") ? '"' + string + '"' : null;
        }
        if (value instanceof Boolean truth) {
            return truth ? "True" : "False";
        }
        if (value instanceof Double number) {
            return Double.isFinite(number) ? number.toString() : null;
        }
        return value == null ? "None" : value instanceof Long ? value.toString() : null;
    }

    private static String joined(String open, List<?> items, String close) {
        List<String> words = items.stream().map(ConvertedInputs::word).collect(Collectors.toList());
        return words.contains(null) ? null : open + String.join(", ", words) + close;
    }
}
