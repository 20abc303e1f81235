import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.execution.specialise.lower.Lowerings;
import org.torchnnapi.operators.OperatorIndex;

/** Writes the index of lowerings that is searched instead of making every family: a line for each operator, of its name and the class of its family. */
public final class WriteLoweringIndex {
    /** @param args the folder of the compiled package of the lowerings */
    public static void main(String[] args) throws IOException {
        List<String> lines = new ArrayList<>();
        Lowerings.familyNames().forEach((kind, family) -> lines.add(kind + OperatorIndex.SEPARATOR + family));
        Files.writeString(Files.createDirectories(Path.of(args[0])).resolve("lowerings.txt"), OperatorIndex.write(lines));
    }
}
