import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What GraalVM's native-image is told of an index that the build writes: that it is read, and that the classes it names
 * are made by those names.
 */
final class ReachabilityMetadata {
    private ReachabilityMetadata() {}

    /**
     * Writes {@code META-INF/native-image/org.torchnnapi/ARTIFACT/reachability-metadata.json}.
     *
     * @param classes the folder of all of the module's classes
     * @param types names of the classes, each with a constructor without parameters
     * @param resources names of the indexes from {@code classes} on
     */
    static void write(Path classes, String artifact, Collection<String> types, Collection<String> resources)
            throws IOException {
        Path folder = Files.createDirectories(
                classes.resolve("META-INF/native-image/org.torchnnapi").resolve(artifact));
        String reflection = new TreeSet<>(types)
                .stream()
                        .map(type -> "    {\"type\": \"" + type
                                + "\", \"methods\": [{\"name\": \"<init>\", \"parameterTypes\": []}]}")
                        .collect(Collectors.joining(",\n"));
        String read = new TreeSet<>(resources)
                .stream().map(name -> "    {\"glob\": \"" + name + "\"}").collect(Collectors.joining(",\n"));
        Files.writeString(
                folder.resolve("reachability-metadata.json"),
                "{\n  \"reflection\": [\n" + reflection + "\n  ],\n  \"resources\": [\n" + read + "\n  ]\n}\n");
    }
}
