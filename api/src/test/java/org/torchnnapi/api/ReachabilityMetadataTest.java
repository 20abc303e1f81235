package org.torchnnapi.api;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What the jars tell native-image (GraalVM) is what the library does: classes and resources that it asks for by name
 * while models are loaded, converted and run are named, what is named is there, and no class reflects that was not seen
 * doing so.
 */
class ReachabilityMetadataTest {
    /** The modules that the artifact brings. */
    private static final List<String> MODULES = List.of(
            "tensor",
            "kernels",
            "program",
            "nnapi",
            "driver-cpu",
            "torchscript",
            "exported",
            "operators",
            "execution",
            "converter",
            "quantizer",
            "engine",
            "pytorch-api",
            "api");

    /** Those of them that ask for something by name. */
    private static final List<String> WITH_METADATA =
            List.of("kernels", "nnapi", "torchscript", "operators", "execution", "converter");

    /** In the constant pool of a class that makes classes of names, or reads resources. */
    private static final List<String> ASKING = List.of(
            "(Ljava/lang/String;)Ljava/lang/Class;",
            "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;",
            "getResourceAsStream",
            "getResource");

    /** In that of a class that would need metadata of other kinds. */
    private static final List<String> OTHERWISE = List.of(
            "Ljava/lang/reflect/Method;",
            "Ljava/lang/reflect/Field;",
            "java/lang/reflect/Proxy",
            "java/io/ObjectInputStream",
            "java/util/ResourceBundle",
            "java/lang/invoke/VarHandle",
            "findStatic",
            "findVirtual",
            "findConstructor",
            "privateLookupIn");

    private static WatchedClasses watched;
    private static final Map<String, Boolean> TYPES = new TreeMap<>();
    private static final Set<String> GLOBS = new TreeSet<>();

    @BeforeAll
    static void usesTheLibrary() throws Exception {
        watched = WatchedClasses.ofThisPath();
        ((Callable<?>) watched.loadClass(EveryWay.class.getName())
                        .getConstructor()
                        .newInstance())
                .call();
        // What only the command asks, of a package that is not everyone's.
        Class<?> lite = watched.loadClass("org.torchnnapi.torchscript.bytecode.LiteTarget");
        assertEquals(
                true,
                lite.getMethod("has", String.class)
                        .invoke(lite.getMethod("of", String.class).invoke(null, "pytorch-1.10"), "aten::add.Tensor"));
        for (String module : WITH_METADATA) {
            String name = "META-INF/native-image/org.torchnnapi/torch-nnapi-" + module + "/reachability-metadata.json";
            URL place = watched.findResource(name);
            assertTrue(
                    place != null,
                    name + " is missing (expected: in module " + module + "; of an index, Maven writes it)");
            try (InputStream in = place.openStream()) {
                JsonNode metadata = new ObjectMapper().readTree(in);
                metadata.path("reflection")
                        .forEach(type -> TYPES.put(
                                type.path("type").asText(),
                                "<init>"
                                        .equals(type.path("methods")
                                                .path(0)
                                                .path("name")
                                                .asText())));
                metadata.path("resources")
                        .forEach(resource -> GLOBS.add(resource.path("glob").asText()));
            }
        }
    }

    @AfterAll
    static void closes() throws IOException {
        watched.close();
    }

    @Test
    void whatIsAskedForIsNamed() {
        assertTrue(watched.classes().size() > 20, () -> "few classes: " + watched.classes());
        assertTrue(watched.resources().size() > 8, () -> "few resources: " + watched.resources());
        assertEquals(
                List.of(),
                watched.classes().stream()
                        .filter(name -> !TYPES.containsKey(name))
                        .toList());
        assertEquals(
                List.of(),
                watched.resources().stream()
                        .filter(name -> watched.findResource(name) != null)
                        .filter(name -> GLOBS.stream().noneMatch(glob -> matches(glob, name))
                                && !name.contains("driver/android"))
                        .toList());
    }

    @Test
    void whatIsNamedIsThere() throws IOException {
        for (Map.Entry<String, Boolean> type : TYPES.entrySet()) {
            // Not initialised: some need a processor or a module that is not here.
            Class<?> named = assertDoesNotThrow(() -> Class.forName(type.getKey(), false, watched));
            boolean plain = Stream.of(named.getDeclaredConstructors())
                    .anyMatch(constructor -> constructor.getParameterCount() == 0);
            assertTrue(plain || !type.getValue(), type.getKey());
        }
        Set<String> all = new TreeSet<>();
        each((name, bytes) -> all.add(name));
        assertEquals(
                List.of(),
                GLOBS.stream()
                        .filter(glob -> all.stream().noneMatch(name -> matches(glob, name)))
                        .toList());
    }

    @Test
    void nothingElseReflects() throws IOException {
        List<String> unseen = new ArrayList<>();
        List<String> otherwise = new ArrayList<>();
        each((name, bytes) -> {
            if (name.endsWith(".class") && !name.contains("$$")) {
                String pool = new String(bytes, StandardCharsets.ISO_8859_1);
                String type =
                        name.substring(0, name.length() - ".class".length()).replace('/', '.');
                if (ASKING.stream().anyMatch(pool::contains)
                        && !watched.asking().contains(type)) {
                    unseen.add(type);
                }
                OTHERWISE.stream().filter(pool::contains).forEach(found -> otherwise.add(type + ": " + found));
            }
        });
        assertFalse(watched.asking().isEmpty());
        assertEquals(
                List.of(),
                unseen,
                "classes that ask by name and were not seen doing so (expected: EveryWay goes there)");
        assertEquals(
                List.of(),
                otherwise,
                "reflection that is not looked after here (expected: metadata for it, and a check of that)");
    }

    private interface Visitor {
        void visit(String name, byte[] bytes);
    }

    /** Visits the files of the modules that the artifact brings. */
    private static void each(Visitor visitor) throws IOException {
        for (String module : MODULES) {
            each(module, visitor);
        }
    }

    private static void each(String module, Visitor visitor) throws IOException {
        for (URL url : watched.getURLs()) {
            Path place = Path.of(URI.create(url.toString()));
            String path = place.toString().replace('\\', '/');
            if (path.endsWith("/" + module + "/target/classes")) {
                walk(place, visitor);
                return;
            }
            if (path.contains("/torch-nnapi-" + module + "-0") || path.contains("/torch-nnapi-" + module + "-1")) {
                try (FileSystem jar = FileSystems.newFileSystem(place)) {
                    walk(jar.getPath("/"), visitor);
                }
                return;
            }
        }
        throw new IllegalStateException(module + " is not on the path: " + List.of(watched.getURLs()));
    }

    private static void walk(Path root, Visitor visitor) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(Files::isRegularFile).forEach(file -> {
                try {
                    visitor.visit(root.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** As native-image reads it: a star stands for anything within one folder's name. */
    private static boolean matches(String glob, String name) {
        StringBuilder pattern = new StringBuilder();
        for (String part : glob.split("\\*", -1)) {
            pattern.append(pattern.length() == 0 ? "" : "[^/]*").append(Pattern.quote(part));
        }
        return name.matches(pattern.toString());
    }
}
