package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * One case directory.
 *
 * @param description its {@code case.json}
 */
record TorchCase(String name, Path folder, JsonNode description) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The cases of a folder, in the order of its index, whose names contain {@code filter}. */
    static List<TorchCase> all(Path folder, String filter) throws IOException {
        List<String> names = new ArrayList<>();
        Path index = folder.resolve("index.json");
        if (Files.exists(index)) {
            JSON.readTree(index.toFile()).path("cases").forEach(name -> names.add(name.asText()));
        } else {
            try (Stream<Path> children = Files.list(folder)) {
                children.filter(child -> Files.exists(child.resolve("case.json")))
                        .sorted(Comparator.naturalOrder())
                        .forEach(child -> names.add(child.getFileName().toString()));
            }
        }
        List<TorchCase> cases = new ArrayList<>();
        for (String name : names) {
            if (name.contains(filter)) {
                Path home = folder.resolve(name);
                cases.add(new TorchCase(
                        name, home, JSON.readTree(home.resolve("case.json").toFile())));
            }
        }
        return cases;
    }

    List<JsonNode> runs() {
        List<JsonNode> runs = new ArrayList<>();
        description.path("runs").forEach(runs::add);
        return runs;
    }

    JsonNode nnapi() {
        return description.path("nnapi");
    }

    Path file(String name) {
        return folder.resolve(name);
    }
}
