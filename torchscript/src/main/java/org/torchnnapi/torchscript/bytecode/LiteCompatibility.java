package org.torchnnapi.torchscript.bytecode;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Which published runtimes load a file with byte code. */
public final class LiteCompatibility {
    private LiteCompatibility() {}

    /**
     * What stands against each runtime, nothing for those that load the file.
     *
     * @param bytecode value tree of {@code bytecode.pkl}
     * @param fileFormat of the archive
     * @throws BytecodeException if the tree is no byte code
     */
    public static Map<LiteTarget, List<String>> of(Object bytecode, int fileFormat) {
        long version = version(bytecode);
        Set<String> operators = operators((ScriptTuple) bytecode);
        Map<LiteTarget, List<String>> obstacles = new LinkedHashMap<>();
        for (LiteTarget target : LiteTarget.values()) {
            if (version >= LiteForm.FLATBUFFER_VERSION) {
                obstacles.put(
                        target,
                        List.of("a flat buffer, without which its libraries for Android are built"
                                + (target.readsFlatBuffers() ? "; Python's load it" : "")));
            } else if (version > target.bytecodeVersion()) {
                obstacles.put(
                        target,
                        List.of("byte code version " + version + " (it reads up to " + target.bytecodeVersion() + ")"));
            } else if (fileFormat > target.fileFormat()) {
                obstacles.put(
                        target, List.of("file format " + fileFormat + " (it reads up to " + target.fileFormat() + ")"));
            } else {
                obstacles.put(
                        target,
                        operators.stream()
                                .filter(operator -> !target.has(operator))
                                .collect(Streams.toList()));
            }
        }
        return obstacles;
    }

    private static long version(Object bytecode) {
        BytecodeReader.names(bytecode);
        return (Long) ((ScriptTuple) bytecode).get(0);
    }

    private static Set<String> operators(ScriptTuple bytecode) {
        Set<String> names = new TreeSet<>();
        BytecodeReader reader = new BytecodeReader(name -> null, value -> value);
        for (int i = 0; i + 1 < bytecode.size(); i++) {
            for (BytecodeFunction.OperatorName operator :
                    reader.function(bytecode, i).operators()) {
                names.add(
                        operator.overload().isEmpty() ? operator.name() : operator.name() + "." + operator.overload());
            }
        }
        return names;
    }
}
