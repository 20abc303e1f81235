import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorIndex;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.ops.DataFamilies;
import org.torchnnapi.operators.ops.Families;
import org.torchnnapi.operators.ops.QuantizedFamilies;
import org.torchnnapi.operators.builtin.Builtins;

/**
 * Writes the operator indexes that are searched instead of making every family: a line for each operator, of its schema with line breaks as
 * backslash n, or its name, and the class of its family.
 */
public final class WriteOperatorIndex {
    /** @param args the folder of the compiled package {@code org.torchnnapi.operators} */
    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        Files.writeString(folder.resolve("tensor-operators.txt"),
            index(List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, DataFamilies.TENSOR_OPERATORS)));
        Files.writeString(folder.resolve("builtin-operators.txt"), index(List.of(Builtins.FAMILIES)));
    }

    private static String index(List<List<OperatorFamily>> tables) {
        List<String> lines = new ArrayList<>();
        for (List<OperatorFamily> table : tables) {
            for (OperatorFamily family : table) {
                family.register((schema, kernel, traits) -> lines.add(OperatorRegistry.indexLine(schema, kernel, traits, family.getClass())));
            }
        }
        return OperatorIndex.write(lines);
    }
}
