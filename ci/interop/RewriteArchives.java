import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** Reads every model.pt below a folder and writes it again as NAME.pt; the other program compares the two. */
final class RewriteArchives {
    public static void main(String[] args) throws IOException {
        Path cases = Path.of(args[0]);
        Path out = Files.createDirectories(Path.of(args[1]));
        List<Path> models;
        try (Stream<Path> files = Files.walk(cases, 2)) {
            models = files.filter(f -> f.getFileName().toString().equals("model.pt"))
                    .sorted()
                    .toList();
        }
        for (Path model : models) {
            Path copy = out.resolve(model.getParent().getFileName() + ".pt");
            try {
                ArchiveWriter.from(TorchScriptArchive.open(model)).write(copy);
            } catch (IOException | RuntimeException e) {
                System.out.println(model + ": " + e);
            }
        }
    }
}
