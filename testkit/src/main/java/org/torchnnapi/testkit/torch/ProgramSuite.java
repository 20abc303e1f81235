package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.exported.lowering.ProgramFile;
import org.torchnnapi.exported.lowering.UnwritableProgramException;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * Writes {@code model.pt} as a program of torch.export for the inputs of its first run, and makes all runs on what was
 * written: each answers as it should, or is refused where its inputs are not the example's. A model that is no program
 * is skipped, with all that is in the way.
 */
final class ProgramSuite implements TorchSuite {
    private final ScriptRuntime runtime;
    private final Path kept;

    /** @param kept folder for what is written, as {@code NAME.pt2}, or null */
    ProgramSuite(ScriptRuntime runtime, Path kept) {
        this.runtime = runtime;
        this.kept = kept;
    }

    @Override
    public Outcome run(TorchCase test) throws Exception {
        ScriptModule module =
                ScriptModule.load(test.file(test.description().path("model").asText()), runtime);
        Function forward = module.method("forward");
        JsonNode first =
                test.runs().stream().filter(ProgramSuite::isPlain).findFirst().orElse(null);
        if (forward == null || first == null) {
            return Outcome.skipped("no run of forward with positional arguments");
        }
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try {
            ProgramFile.of(module, Runs.arguments(forward, first, test.folder()))
                    .write(written);
        } catch (UnwritableProgramException e) {
            return Outcome.skipped(e.getMessage());
        }
        if (kept != null) {
            Files.write(kept.resolve(test.name() + ".pt2"), written.toByteArray());
        }
        ScriptModule again = ScriptModule.of(ModuleSource.of(ByteBuffer.wrap(written.toByteArray())), runtime);
        ResultComparison comparison = ResultComparison.of(test.description().path("tolerance"));
        List<JsonNode> runs = test.runs();
        for (int i = 0; i < runs.size(); i++) {
            JsonNode run = runs.get(i);
            if (!isPlain(run)) {
                break;
            }
            try {
                String wrong = Runs.check(again, run, test.folder(), i, comparison);
                if (wrong != null) {
                    return Outcome.failed(wrong);
                }
            } catch (ScriptException | IllegalArgumentException e) {
                if (run == first) {
                    throw e;
                }
                // Of other sizes or numbers than the example.
                break;
            }
        }
        return Outcome.passed();
    }

    private static boolean isPlain(JsonNode run) {
        return !run.has("kwargs") && !run.has("raises") && !run.has("method");
    }
}
