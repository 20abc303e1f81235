import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorIndex;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.RegisteredOverloads;
import org.torchnnapi.operators.builtin.Builtins;
import org.torchnnapi.operators.ops.Families;
import org.torchnnapi.operators.ops.OperatorTables;
import org.torchnnapi.operators.ops.QuantizedFamilies;

/**
 * Writes the operator indexes that are searched instead of making every family: a line for each operator, of its schema
 * with line breaks as backslash n, or its name, and the class of its family; and what native-image is told of them.
 */
public final class WriteOperatorIndex {
    private static final String PACKAGE = "org/torchnnapi/operators";
    private static final String TENSORS = PACKAGE + "/tensor-operators.txt";
    private static final String BUILTINS = PACKAGE + "/builtin-operators.txt";

    /** @param args the folder of the compiled classes */
    public static void main(String[] args) throws IOException {
        Path classes = Path.of(args[0]);
        Files.createDirectories(classes.resolve(PACKAGE));
        List<List<OperatorFamily>> tensors =
                List.of(Families.TENSOR_OPERATORS, QuantizedFamilies.ALL, OperatorTables.TENSOR_OPERATORS);
        List<List<OperatorFamily>> builtins = List.of(Builtins.FAMILIES);
        RegisteredOverloads overloads = new RegisteredOverloads();
        Files.writeString(classes.resolve(TENSORS), index(tensors, overloads));
        Files.writeString(classes.resolve(BUILTINS), index(builtins, overloads));
        List<String> types = Stream.concat(tensors.stream(), builtins.stream())
                .flatMap(List::stream)
                .map(family -> family.getClass().getName())
                .toList();
        ReachabilityMetadata.write(classes, "torch-nnapi-operators", types, List.of(TENSORS, BUILTINS));
    }

    private static String index(List<List<OperatorFamily>> tables, RegisteredOverloads overloads) {
        List<String> lines = new ArrayList<>();
        for (List<OperatorFamily> table : tables) {
            for (OperatorFamily family : table) {
                family.register(overloads.of(
                        family,
                        (schema, kernel, traits) ->
                                lines.add(OperatorRegistry.indexLine(schema, kernel, traits, family.getClass()))));
            }
        }
        return OperatorIndex.write(lines);
    }
}
