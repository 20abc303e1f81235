import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.tracing.lower.Lowerings;
import org.torchnnapi.operators.OperatorIndex;

/**
 * Writes the index of lowerings that is searched instead of making every family: a line for each operator, of its name
 * and the class of its family; and what native-image is told of it.
 */
public final class WriteLoweringIndex {
    private static final String INDEX = "org/torchnnapi/execution/tracing/lower/lowerings.txt";

    /** @param args the folder of the compiled classes */
    public static void main(String[] args) throws IOException {
        Path classes = Path.of(args[0]);
        List<String> lines = new ArrayList<>();
        Map<String, String> families = Lowerings.familyNames();
        families.forEach((kind, family) -> lines.add(kind + OperatorIndex.SEPARATOR + family));
        Files.createDirectories(classes.resolve(INDEX).getParent());
        Files.writeString(classes.resolve(INDEX), OperatorIndex.write(lines));
        ReachabilityMetadata.write(classes, "torch-nnapi-execution", families.values(), List.of(INDEX));
    }
}
