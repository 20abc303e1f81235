import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.ops.DataFamilies;
import org.torchnnapi.torchscript.aten.ops.Families;
import org.torchnnapi.torchscript.aten.ops.QuantizedFamilies;
import org.torchnnapi.torchscript.builtin.Builtins;

/**
 * Writes the operator indexes that the registry reads instead of making every family: for each family its class name behind
 * {@code "= "}, then its schemas, one a line with line breaks inside as backslash n, in the order of registration.
 */
public final class WriteOperatorIndex {
    /** @param args the folder of the compiled package {@code org.torchnnapi.torchscript.aten} */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("tensor-operators.txt"),
            index(List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, DataFamilies.TENSOR_OPERATORS)));
        Files.writeString(folder.resolve("builtin-operators.txt"), index(List.of(Builtins.FAMILIES)));
    }

    private static String index(List<List<OperatorFamily>> tables) {
        StringBuilder text = new StringBuilder();
        for (List<OperatorFamily> table : tables) {
            for (OperatorFamily family : table) {
                text.append("= ").append(family.getClass().getName()).append('\n');
                family.register((schema, kernel) -> text.append(line(schema)).append('\n'));
            }
        }
        return text.toString();
    }

    private static String line(String schema) {
        if (schema.indexOf('\\') >= 0) {
            throw new IllegalArgumentException("schema: " + schema + " (expected: no backslash, which stands for a line break in the index)");
        }
        return schema.replace("\n", "\\n");
    }
}
