import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.OperatorIndex;
import org.torchnnapi.torchscript.aten.ops.DataFamilies;
import org.torchnnapi.torchscript.aten.ops.Families;
import org.torchnnapi.torchscript.aten.ops.QuantizedFamilies;
import org.torchnnapi.torchscript.builtin.Builtins;
import org.torchnnapi.torchscript.specialise.lower.Lowerings;

/**
 * Writes the operator indexes that are searched instead of making every family: a line for each operator, of its schema with line breaks as
 * backslash n, or its name, and the class of its family.
 */
public final class WriteOperatorIndex {
    /** @param args the folder of the compiled package {@code org.torchnnapi.torchscript} */
    public static void main(String[] args) throws IOException {
        Path aten = Files.createDirectories(Path.of(args[0], "aten"));
        Files.writeString(aten.resolve("tensor-operators.txt"),
            index(List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, DataFamilies.TENSOR_OPERATORS)));
        Files.writeString(aten.resolve("builtin-operators.txt"), index(List.of(Builtins.FAMILIES)));
        List<String> lowerings = new ArrayList<>();
        Lowerings.familyNames().forEach((kind, family) -> lowerings.add(kind + OperatorIndex.SEPARATOR + family));
        Files.writeString(Files.createDirectories(Path.of(args[0], "specialise", "lower")).resolve("lowerings.txt"),
            OperatorIndex.write(lowerings));
    }

    private static String index(List<List<OperatorFamily>> tables) {
        List<String> lines = new ArrayList<>();
        for (List<OperatorFamily> table : tables) {
            for (OperatorFamily family : table) {
                family.register((schema, kernel) -> lines.add(line(schema) + OperatorIndex.SEPARATOR + family.getClass().getName()));
            }
        }
        return OperatorIndex.write(lines);
    }

    private static String line(String schema) {
        if (schema.indexOf('\\') >= 0) {
            throw new IllegalArgumentException("schema: " + schema + " (expected: no backslash, which stands for a line break in the index)");
        }
        return schema.replace("\n", "\\n");
    }
}
