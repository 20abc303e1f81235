package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.bytecode.LiteTarget;

/**
 * Writes {@code model.pt} anew, as source, as byte code and as a flat buffer, and runs what was written: as source all
 * runs, written again to the same bytes; as byte code without source those that PyTorch's lite interpreter is meant
 * for.
 */
final class WriteSuite implements TorchSuite {
    private static final LiteTarget TARGET = LiteTarget.PYTORCH_1_13;

    private final ScriptRuntime runtime;
    private final Path kept;

    /** @param kept folder for what is written, as {@code NAME.pt}, {@code NAME.ptl} and {@code NAME.ff}, or null */
    WriteSuite(ScriptRuntime runtime, Path kept) {
        this.runtime = runtime;
        this.kept = kept;
    }

    @Override
    public Outcome run(TorchCase test) throws Exception {
        byte[] written = bytes(load(test).moduleWriter().archive("model"));
        keep(test.name() + ".pt", written);
        ScriptModule again = ScriptModule.of(TorchScriptArchive.of(written), runtime);
        if (!Arrays.equals(written, bytes(again.moduleWriter().archive("model")))) {
            return Outcome.failed(
                    "what was loaded from the written file is written in another way (expected: the same bytes)");
        }
        String wrong = runs(test, again, false);
        if (wrong != null) {
            return Outcome.failed("as source: " + wrong);
        }
        byte[] lite;
        try {
            keep(
                    test.name() + ".ptl",
                    bytes(load(test).moduleWriter().lite(TARGET).archive("model")));
            lite = bytes(load(test).moduleWriter().lite(TARGET).source(false).archive("model"));
        } catch (BytecodeException e) {
            // What PyTorch itself cannot write must at least be refused.
            return test.description().path("lite").has("error")
                    ? Outcome.passed()
                    : Outcome.failed("as byte code: " + e.getMessage());
        }
        wrong = runs(test, ScriptModule.of(TorchScriptArchive.of(lite), runtime), true);
        if (wrong != null) {
            return Outcome.failed("as byte code: " + wrong);
        }
        byte[] flat;
        try {
            flat = bytes(
                    load(test).moduleWriter().lite(LiteForm.flatBuffer(TARGET)).archive("model"));
        } catch (BytecodeException e) {
            // PyTorch writes no named tuples as flat buffers either.
            return e.getMessage().contains("no place in a flat buffer")
                    ? Outcome.passed()
                    : Outcome.failed("as a flat buffer: " + e.getMessage());
        }
        keep(test.name() + ".ff", flat);
        wrong = runs(test, ScriptModule.of(TorchScriptArchive.of(flat), runtime), true);
        return wrong == null ? Outcome.passed() : Outcome.failed("as a flat buffer: " + wrong);
    }

    private ScriptModule load(TorchCase test) throws IOException {
        return ScriptModule.load(test.file(test.description().path("model").asText()), runtime);
    }

    private static String runs(TorchCase test, ScriptModule module, boolean lite) throws Exception {
        ResultComparison comparison = ResultComparison.of(test.description().path("tolerance"));
        for (int i = 0; i < test.runs().size(); i++) {
            JsonNode run = test.runs().get(i);
            if (lite && (run.has("method") || run.has("kwargs"))) {
                return null;
            }
            String wrong = Runs.check(module, run, test.folder(), i, comparison);
            if (wrong != null || lite && run.has("raises")) {
                return wrong;
            }
        }
        return null;
    }

    private static byte[] bytes(ArchiveWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out);
        return out.toByteArray();
    }

    private void keep(String name, byte[] file) throws IOException {
        if (kept != null) {
            Files.write(kept.resolve(name), file);
        }
    }
}
