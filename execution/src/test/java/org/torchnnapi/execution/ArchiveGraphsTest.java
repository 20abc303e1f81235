package org.torchnnapi.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptList;

/** All code of the archives in the shared corpus, as it is and damaged. */
class ArchiveGraphsTest {
    private static List<Path> archives(String group) throws IOException {
        Path folder = Stream.of("../shared", "../../shared")
                .map(Path::of)
                .map(path -> path.resolve("conformance/torch"))
                .filter(Files::isDirectory)
                .findFirst()
                .orElse(null);
        assumeTrue(folder != null, "the shared conformance corpus is not there");
        try (Stream<Path> all = Files.walk(folder, 2)) {
            return all.filter(path -> path.toString().endsWith(".pt")
                            && path.getParent().getFileName().toString().startsWith(group))
                    .sorted()
                    .toList();
        }
    }

    private static CodeLoader loader(Map<String, String> sources) {
        return new CodeLoader(
                new CodeArchive() {
                    @Override
                    public String source(String entry) {
                        return sources.get(entry);
                    }

                    @Override
                    public Object constant(int index) {
                        return new ScriptList(Type.Basic.TENSOR);
                    }
                },
                ScriptRuntime.standard(CustomClasses.NONE).facts());
    }

    /** The name that {@code class Name(..):} or {@code def name(..):} defines. */
    private static String name(String line) {
        return line.replaceFirst("^(class|def) ", "").replaceFirst("[(:].*", "");
    }

    /** Builds and verifies all functions of an archive; their number. */
    private static int build(CodeLoader loader, Map<String, String> sources, List<String> problems) {
        int count = 0;
        for (Map.Entry<String, String> source : sources.entrySet()) {
            String module = source.getKey()
                    .substring("code/".length(), source.getKey().length() - ".py".length())
                    .replace('/', '.');
            for (String line : source.getValue().split("\n")) {
                try {
                    if (line.startsWith("class ") && loader.type(module + "." + name(line)) instanceof ClassType type) {
                        for (Function method : type.methods()) {
                            if (method.hasBody()) {
                                GraphVerifier.verify(method.graph());
                                count++;
                            }
                        }
                    } else if (line.startsWith("def ")) {
                        Function function = loader.function(module + "." + name(line));
                        if (function != null) {
                            GraphVerifier.verify(function.graph());
                            count++;
                        }
                    }
                } catch (SourceException e) {
                    problems.add(e.getMessage());
                }
            }
        }
        return count;
    }

    @Test
    void allGraphsAreSound() throws IOException {
        List<String> problems = new ArrayList<>();
        int count = 0;
        for (Path path : archives("")) {
            ScriptModule module = ScriptModule.load(path, ScriptRuntime.standard(CustomClasses.NONE));
            count += build(module.code(), module.archive().sources(), problems);
        }
        assertEquals(List.of(), problems);
        assertTrue(count > 5_000, "functions: " + count);
    }

    @Test
    void damagedSourcesGiveTypedErrorsOnly() throws IOException {
        Random random = new Random(5);
        List<String> problems = new ArrayList<>();
        String pieces = "()[]{},:.=-\"' \n_aN01";
        for (Path path : archives("script-")) {
            Map<String, String> sources = TorchScriptArchive.open(path).sources();
            for (int i = 0; i < 20; i++) {
                Map<String, String> damaged = new HashMap<>(sources);
                for (Map.Entry<String, String> entry : damaged.entrySet()) {
                    StringBuilder text = new StringBuilder(entry.getValue());
                    for (int k = 0; k < 2 && text.length() > 1; k++) {
                        int at = random.nextInt(text.length());
                        if (random.nextBoolean()) {
                            text.setCharAt(at, pieces.charAt(random.nextInt(pieces.length())));
                        } else {
                            text.delete(at, Math.min(text.length(), at + random.nextInt(30)));
                        }
                    }
                    entry.setValue(text.toString());
                }
                build(loader(damaged), damaged, problems);
            }
        }
        assertTrue(problems.size() > 100, "problems: " + problems.size());
    }
}
