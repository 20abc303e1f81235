package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.bytecode.SourceComparison;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;

/**
 * The source that a file for the lite interpreter holds beside its byte code. A phone runs the byte code; tools and
 * people read the source, and nothing but a comparison tells that it is another program's.
 */
public final class LiteSource {
    private LiteSource() {}

    /**
     * Where the source is not that of the byte code, a line for each method. Reads all of the source and of the byte
     * code, which takes longer than to load the file.
     *
     * @return none where they agree, and where the file has only one of them
     * @throws org.torchnnapi.torchscript.format.ArchiveException if either is damaged
     */
    public static List<String> differences(ModuleSource source) {
        ModuleSource lite = source.forLite();
        List<String> found = new ArrayList<>();
        if (lite == source) {
            return found;
        }
        ClassType shown =
                ScriptModule.stored(source, Runtimes.standard()).object().type();
        for (Function run :
                ScriptModule.stored(lite, Runtimes.standard()).object().type().methods()) {
            Function method = shown.method(run.name());
            Set<String> missing =
                    method == null ? Set.of("the whole method") : SourceComparison.missingInSource(method, run);
            if (!missing.isEmpty()) {
                found.add(run.name() + ": its source is not what a phone runs; byte code alone has "
                        + String.join(", ", missing));
            }
        }
        return found;
    }
}
