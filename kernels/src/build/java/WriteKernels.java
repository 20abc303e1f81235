import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes what C and Java read of kernels.table: {@code java WriteKernels.java TABLE HEADERS CLASSES} writes headers to
 * the folder HEADERS and classes of package {@code org.torchnnapi.kernels.internal.natives} below CLASSES. Files that
 * are as they would be written stay as they are, so that nothing is compiled again for them.
 */
final class WriteKernels {
    private static final String PACKAGE = "org/torchnnapi/kernels/internal/natives";

    private WriteKernels() {}

    public static void main(String[] args) throws IOException {
        KernelTable table = KernelTable.read(Path.of(args[0]));
        Map<String, String> headers = CHeaders.of(table);
        headers.put("sources.txt", CHeaders.sources(table));
        write(Path.of(args[1]), headers);
        write(
                Path.of(args[2]).resolve(PACKAGE),
                JavaCalls.of(table).entrySet().stream()
                        .collect(Collectors.toMap(entry -> entry.getKey() + ".java", Map.Entry::getValue)));
    }

    private static void write(Path folder, Map<String, String> files) throws IOException {
        Files.createDirectories(folder);
        for (Path old : existing(folder)) {
            if (!files.containsKey(old.getFileName().toString())) {
                Files.delete(old);
            }
        }
        for (Map.Entry<String, String> entry : files.entrySet()) {
            Path file = folder.resolve(entry.getKey());
            if (!Files.exists(file) || !Files.readString(file).equals(entry.getValue())) {
                Files.writeString(file, entry.getValue());
            }
        }
    }

    private static Set<Path> existing(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.collect(Collectors.toSet());
        }
    }
}
