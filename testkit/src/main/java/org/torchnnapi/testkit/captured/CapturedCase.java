package org.torchnnapi.testkit.captured;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * A module that a test made.
 *
 * @param stem the path of its files, without what tells them apart
 * @param test the test's name
 * @param method the method that is called
 * @param random whether genuine PyTorch gave other numbers with another seed
 * @param slack the part of the largest element that others may be off, for types whose steps are coarse; 0 for what is
 *     usual
 * @param special whether signs of zeros, and numbers that are next to zero, are to be the same
 */
record CapturedCase(Path stem, String test, String method, boolean random, double slack, boolean special) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What became of a call: its status as in the file, its value, and the error's text otherwise. */
    record Answer(char status, Object value, String error) {}

    /** The cases below a folder, in the order of their paths, whose path or test contains {@code filter}. */
    static List<CapturedCase> all(Path folder, String filter) throws IOException {
        List<Path> files;
        try (Stream<Path> below = Files.walk(folder)) {
            files = below.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
        List<CapturedCase> cases = new ArrayList<>();
        for (Path file : files) {
            JsonNode description = JSON.readTree(file.toFile());
            String name = file.getFileName().toString();
            CapturedCase found = new CapturedCase(
                    file.resolveSibling(name.substring(0, name.length() - ".json".length())),
                    description.path("test").asText(),
                    description.path("method").asText("forward"),
                    description.path("random").asBoolean(),
                    description.path("slack").asDouble(),
                    description.path("special").asBoolean());
            if (found.name(folder).contains(filter)) {
                cases.add(found);
            }
        }
        return cases;
    }

    /** The path below the folder, and the test. */
    String name(Path folder) {
        return folder.relativize(stem) + " (" + test + ", " + method + ")";
    }

    Path file(String suffix) {
        return stem.resolveSibling(stem.getFileName() + suffix);
    }

    /** New arguments for a call, of the types that the method declares. */
    List<Object> arguments(FunctionSchema schema) throws IOException {
        List<Type> types = new ArrayList<>();
        for (FunctionSchema.Argument argument :
                schema.arguments().subList(1, schema.arguments().size())) {
            types.add(argument.type());
        }
        byte[] bytes = Files.readAllBytes(file(".args"));
        int count = ((ScriptTuple) new CapturedValues(bytes).value(null)).size();
        while (types.size() < count) {
            types.add(Type.Basic.ANY);
        }
        return ((ScriptTuple) new CapturedValues(bytes).value(Type.TupleType.of(types.subList(0, count)))).items();
    }

    /** What genuine PyTorch answered, call by call. */
    List<Answer> answers(String suffix) throws IOException {
        CapturedValues outcomes = new CapturedValues(Files.readAllBytes(file(suffix)));
        List<Answer> answers = new ArrayList<>();
        while (outcomes.hasMore()) {
            char status = outcomes.status();
            byte[] frame = outcomes.frame();
            answers.add(
                    status == 'k'
                            ? new Answer(status, new CapturedValues(frame).value(null), null)
                            : new Answer(status, null, new String(frame, StandardCharsets.UTF_8)));
        }
        return answers;
    }
}
